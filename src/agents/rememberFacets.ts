/** Reads the arguments of one call once, however many guards ask. Knows no tool and judges nothing. */
import type { Args, Facets, ReadFacets, ToolCall } from "../core/call";

type Named = Pick<ToolCall, "toolName" | "canonicalName" | "extra">;

interface Known {
  readonly call: Named;
  readonly facets: Facets;
}

/** Only frozen arguments are remembered, as long as they live: what cannot change means the same the next time. */
export function rememberFacets(read: ReadFacets): ReadFacets {
  const seen = new WeakMap<Args, Known>();
  return (call, args) => {
    const known = seen.get(args);
    if (known !== undefined && isSame(known.call, call)) return known.facets;
    const facets = read(call, args);
    if (Object.isFrozen(args)) seen.set(args, { call, facets });
    return facets;
  };
}

/** Names, shell and imagined machine: all that is read of a call beside its arguments. */
function isSame(a: Named, b: Named): boolean {
  return a.toolName === b.toolName && a.canonicalName === b.canonicalName && a.extra === b.extra;
}
