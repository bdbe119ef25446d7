/** Programs that drop data without SQL: every one of them is asked about, and its everyday words are not. */
import { describe, expect, test } from "vitest";
import { TOOL_CASES } from "./databaseToolRows";
import { kindOf } from "./sqlDecision";

describe.each(TOOL_CASES)("$tool", ({ asks, quiet }) => {
  test.each(asks)("%s", async (command) =>
    expect(["ask", "deny"]).toContain(await kindOf({ command, shell: "bash" })),
  );
  test.each(quiet)("quiet: %s", async (command) =>
    expect(await kindOf({ command, shell: "bash" })).toBe("allow"),
  );
});
