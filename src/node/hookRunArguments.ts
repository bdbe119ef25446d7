/** A function's arguments as `tool_input`, and back. Knows nothing of rules. */
import { type Args, isPlainObject } from "../core/call";
import { HookError } from "./hookRunErrors";

/** How a function was called: with one object, or with values in a row. */
export interface CallShape {
  readonly input: Args;
  /** The arguments to call with once `input` has become `final`. Throws a HookError where that cannot be told. */
  spread(final: Args): readonly unknown[];
}

/** One plain object is the input itself; anything else stands under `_args`. */
export function callShape(args: readonly unknown[]): CallShape {
  const [first] = args;
  if (args.length === 0) return { input: {}, spread: (final) => (isEmpty(final) ? [] : [final]) };
  if (args.length === 1 && isPlainObject(first)) return { input: first, spread: (final) => [final] };
  return { input: { _args: [...args] }, spread: inARow };
}

function isEmpty(value: Args): boolean {
  return Object.keys(value).length === 0;
}

function inARow(final: Args): readonly unknown[] {
  const { _args, ...named } = final;
  if (_args === undefined)
    throw new HookError(
      "the tool was called with values in a row; a rewritten input must have them under `_args`: { _args: [first, second] }",
    );
  if (!Array.isArray(_args)) throw new HookError("a rewritten `_args` must be a list of values");
  if (isEmpty(named)) return _args;
  throw new HookError(
    `the tool was called with values in a row; a rewritten input may hold \`_args\` or names (${Object.keys(named).join(", ")}), not both`,
  );
}
