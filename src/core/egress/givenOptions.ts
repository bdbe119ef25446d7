/** What the readers of network programs share: values of options, and a machine as ssh names it. Judges nothing. */
import type { Option } from "./arguments";
import { type Destination, toHost } from "./destination";
import { hostOf, scpHost } from "./hosts";

export function values(options: readonly Option[], name: RegExp): readonly string[] {
  return options.flatMap((option) =>
    name.test(option.name) && option.value !== undefined ? [option.value] : [],
  );
}

export function has(options: readonly Option[], name: RegExp): boolean {
  return options.some((option) => name.test(option.name));
}

export function machine(
  text: string,
  how: { readonly by: string; readonly what: Destination["what"] },
): Destination {
  return toHost(scpHost(text) ?? hostOf(text), { ...how, shown: text });
}
