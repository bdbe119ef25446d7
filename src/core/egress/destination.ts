/** Where a call would reach on the network: the shape that readers of commands and tools share. Judges nothing. */
import { type Host, hostOf, isAddress } from "./hosts";

export interface Destination {
  /** Null = the text does not tell. */
  readonly host: Host;
  /** take: something is fetched. send: something of here is carried there. */
  readonly what: "take" | "send";
  /** What an approval is held against: mostly the host. */
  readonly key: string;
  /** As it was written, for the person. */
  readonly shown: string;
  /** The program or tool that goes there. */
  readonly by: string;
  /** What is done with the place, where that is neither fetching nor sending. */
  readonly verb?: string;
  /** A person has set this place up: it is known until a secret was seen. */
  readonly configured?: true;
  /** Set where git goes to a repository: its address in one spelling, or the name of a remote ("" = the default one). */
  readonly repository?: string;
  readonly remote?: string;
  /** Folders the command may run in, for remotes: "" = where the call starts, null = nobody can tell. */
  readonly folders?: readonly (string | null)[];
}

export function toHost(
  host: Host,
  how: { readonly by: string; readonly what?: Destination["what"]; readonly shown: string },
): Destination {
  return { host, what: how.what ?? "take", key: host ?? "", shown: how.shown, by: how.by };
}

/** A place that is no host of its own: a bucket, an account, a service. */
export function toService(name: string, by: string): Destination {
  return { host: name, what: "send", key: name, shown: name, by };
}

export function toAddress(
  text: string,
  how: { readonly by: string; readonly what?: Destination["what"] },
): Destination {
  return toHost(hostOf(text), { ...how, shown: text });
}

/** Every word that is an address and nothing else, as an operand or behind `=` of an option. */
export function addressesIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const value = /^--?[\w.-]+=(.*)$/s.exec(word)?.[1] ?? word;
    return isAddress(value) ? [value] : [];
  });
}
