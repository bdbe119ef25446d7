/** Laws of a run's borders: arguments in and out, contexts, copies, exceptions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { rethrown } from "../../src/core/hookRules/thrown";
import { withContext } from "../../src/library";
import { callShape } from "../../src/node/hookRunArguments";
import { detached } from "../../src/node/hookRunCopy";

test("arguments that no rule changed are those that the tool gets", () => {
  fc.assert(
    fc.property(fc.array(fc.anything()), (args) => {
      const shape = callShape(args);
      expect(shape.spread(shape.input)).toEqual(args.length === 0 ? [] : args);
    }),
  );
});

test("a copy is equal, shares no object with what it was made of, and keeps own keys of every name", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = detached(value);
      expect(copy).toEqual(value);
      if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
    }),
  );
  const odd: unknown = JSON.parse('{"__proto__":{"admin":true},"a":1}');
  expect(Object.keys(detached(odd) as object)).toEqual(["__proto__", "a"]);
});

test("every context is in what the agent gets, in its order, and nothing of the result is lost", () => {
  const texts = fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.jsonValue(), texts, (result, contexts) => {
      const labels = contexts.map(([name, text]) => `[hook ${name}] ${text}`);
      const got = contexts.reduce<unknown>((sofar, [name, text]) => withContext(sofar, name, text), result);
      if (typeof result === "string") {
        expect(got).toBe([result, ...labels].join("\n\n"));
        return;
      }
      const { hook_context, ...rest } = got as { hook_context: unknown[] };
      const isDict = typeof result === "object" && result !== null && !Array.isArray(result);
      if (!isDict || !Object.hasOwn(result, "hook_context")) expect(hook_context).toEqual(labels);
      expect(hook_context.slice(-labels.length)).toEqual(labels);
      if (!isDict) expect(rest).toEqual({ result });
      else expect({ ...rest, hook_context: null }).toEqual({ ...result, hook_context: null });
    }),
  );
});

test("a rewritten exception says the new text, and the old one nowhere", () => {
  const kinds = [Error, TypeError, RangeError];
  const hex = fc.stringMatching(/^[0-9a-f]{12}$/);
  fc.assert(
    fc.property(hex, fc.constantFrom(...kinds), fc.boolean(), (secret, Kind, isFrozen) => {
      const own = Object.assign(new Kind(`about ${secret}`, { cause: new Error(secret) }), {
        detail: `for about ${secret}`,
      });
      const error = rethrown(isFrozen ? Object.freeze(own) : own, "hidden");
      expect(error).toBeInstanceOf(Kind);
      const seen = error as Error & { detail: string };
      expect(seen.message).toBe("hidden");
      expect(`${seen.stack} ${seen.cause} ${seen.detail} ${JSON.stringify(seen)}`).not.toContain(secret);
    }),
  );
});
