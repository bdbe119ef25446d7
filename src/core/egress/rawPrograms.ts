/** Programs that open a plain connection, look a name up or send mail. Judges nothing. */
import { type ReadArguments, readArguments, type Spec } from "./arguments";
import { type Destination, toAddress, toHost, toService } from "./destination";
import { has, machine, values } from "./givenOptions";
import { hostOf } from "./hosts";

const NC: Spec = {
  short: "iImMOPpqsTVWwXxecg",
  long: "--proxy --proxy-type --proxy-auth --exec --sh-exec --source --source-port --wait --idle-timeout --delay",
};
const RECORD_TYPES =
  /^(a|aaaa|any|axfr|caa|cname|dnskey|ds|hinfo|https|in|ixfr|mx|ns|ptr|soa|srv|svcb|tlsa|txt)$/i;

/** A name that is looked up is told to whoever answers for it. */
export function names(args: readonly string[], by: string): readonly Destination[] {
  const { operands } = readArguments(args, { short: by === "dig" ? "bcfkpqtxy" : "ctWRmN" });
  return operands
    .filter((word) => !word.startsWith("+") && !RECORD_TYPES.test(word))
    .map((word) => ({
      ...toHost(hostOf(word.replace(/^@/, "")), { by, what: "send", shown: word }),
      verb: "Look up",
    }));
}

export function netcat(args: readonly string[], by: string): readonly Destination[] {
  const { operands, options } = readArguments(args, NC);
  const listens = has(options, /^(-l|--listen)$/);
  const proxies = values(options, /^(-x|--proxy)$/).map((text) => toAddress(text, { by, what: "send" }));
  const [host] = operands;
  const own = listens || host === undefined ? [] : [machine(host, { by, what: "send" })];
  return [...own, ...proxies];
}

export function socat(args: readonly string[], by: string): readonly Destination[] {
  return args.flatMap((word) => {
    const match =
      /^(?:tcp|udp|openssl|ssl|sctp|dccp|socks4a?|socks5|proxy)[46]?(?:-connect|-sendto|-datagram)?:(\[[^\]]+\]|[^:,]+)/i.exec(
        word,
      );
    return match === null ? [] : [toHost(hostOf(match[1] ?? ""), { by, what: "send", shown: word })];
  });
}

export function openssl(args: readonly string[], by: string): readonly Destination[] {
  if (args[0] !== "s_client") return [];
  const read: ReadArguments = readArguments(args.slice(1), {
    long: "-connect -host -proxy -servername -CAfile -cert -key -port",
  });
  const plain = read.operands.filter((word) => /:\d+$/.test(word));
  return [...values(read.options, /^-(connect|host|proxy)$/), ...plain].map((text) =>
    toHost(hostOf(text), { by, what: "send", shown: text }),
  );
}

export function mail(args: readonly string[], by: string): readonly Destination[] {
  const to = args.filter((word) => /^[^@\s-][^@\s]*@[^@\s]+$/.test(word));
  if (to.length === 0)
    return args.some((word) => !word.startsWith("-")) ? [toHost(null, { by, what: "send", shown: by })] : [];
  return to.map((text) => toService(`mail to ${text.slice(text.lastIndexOf("@") + 1).toLowerCase()}`, by));
}
