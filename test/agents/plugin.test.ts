import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hookEvents } from "../../src/agents/hookRequest";
import { hooksFile, windowsLine, wrapperLine } from "../../src/agents/plugin/wrapperLine";

describe("the plugin's files", () => {
  test("hooks.json is the text that the wrapper lines make (vitest -u writes it)", async () => {
    await expect(hooksFile(hookEvents)).toMatchFileSnapshot("../../src/agents/plugin/hooks/hooks.json");
  });

  test("a verdict may take a day, a notice half a minute", () => {
    const { hooks } = JSON.parse(hooksFile(hookEvents));
    expect(Object.keys(hooks)).toEqual([
      "PreToolUse",
      "PostToolUse",
      "SessionStart",
      "SubagentStart",
      "SubagentStop",
      "Stop",
    ]);
    expect(hooks.PreToolUse[0].hooks[0].timeout).toBe(86_400);
    expect(hooks.Stop[0].hooks[0].timeout).toBe(30);
  });

  test("the fallback is one valid JSON that denies in both harnesses and says what a person can do", () => {
    for (const line of [wrapperLine("pre"), windowsLine("pre")]) {
      const text = /'(\{"permissionDecision.*?\}\})'/.exec(line)?.[1] ?? "";
      const answer = JSON.parse(text);
      expect(answer.permissionDecision).toBe("deny");
      expect(answer.hookSpecificOutput.hookEventName).toBe("PreToolUse");
      expect(answer.hookSpecificOutput.permissionDecision).toBe("deny");
      expect(answer.permissionDecisionReason).toMatch(/^guard broken/);
      expect(answer.permissionDecisionReason).toContain("code --uninstall-extension countersign.countersign");
      // It stands between single quotes in a shell line.
      expect(text).not.toContain("'");
    }
  });

  test("only the line that decides can deny", () => {
    for (const event of hookEvents.filter((e) => e !== "pre")) {
      expect(wrapperLine(event)).not.toContain("deny");
      expect(windowsLine(event)).not.toContain("deny");
    }
  });

  test("the plugin's version is the product's", () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
    expect(read("../../src/agents/plugin/.claude-plugin/plugin.json").version).toBe(
      read("../../package.json").version,
    );
  });
});
