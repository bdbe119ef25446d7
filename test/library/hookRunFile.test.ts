/** Handlers of a file, run by a run: real programs, real servers, real modules. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ask, DenyHandler, HookDenied, HookError } from "../../src/library";
import { rejection, runOf } from "./runs";

const node = JSON.stringify(process.execPath);

/** A run with one rule whose handler is this program; `more` are further keys of the handler. */
const runOfProgram = (program: string, more: { event?: string; keys?: string } = {}) =>
  runOf(
    `[[hooks.${more.event ?? "pre_tool_call"}]]\nname = "guard"\nhandlers = [{ type = "command", command = [${node}, "guard.cjs"]${more.keys ?? ""} }]\n`,
    { files: { "guard.cjs": program } },
  );

const READ = `let text = ""; process.stdin.on("data", (d) => (text += d)); process.stdin.on("end", () => main(JSON.parse(text)));`;

describe("Handlers of the file", () => {
  test("a command is given the event as JSON on standard input", async () => {
    const { run, folder } = await runOfProgram(
      `${READ} function main(event) { require("node:fs").writeFileSync("seen.json", JSON.stringify(event)); }`,
    );
    await run.wrap({ lookup: () => 1 }, { vendor: "acme" }).lookup();
    await run.end("report");
    expect(JSON.parse(await readFile(join(folder, "seen.json"), "utf8"))).toMatchObject({
      event: "pre_tool_call",
      run_id: run.runId,
      tool_name: "lookup",
      vendor: "acme",
      tool_input: {},
    });
  });

  test("a command that exits 0 goes on, with its output as a result in JSON", async () => {
    const { run } = await runOfProgram(
      `${READ} function main({ tool_input }) { console.log(JSON.stringify({ updated_input: { n: tool_input.n * 2 } })); }`,
    );
    expect(await run.wrap({ t: ({ n }: { n: number }) => n }).t({ n: 21 })).toBe(42);
    await run.end("report");
  });

  test("a command that exits 0 goes on, with plain text of its output as context", async () => {
    const { run } = await runOfProgram(`console.log("prices are in euro");`);
    expect(await run.wrap({ t: () => "9" }).t()).toBe("9\n\n[hook guard] prices are in euro");
    await run.end("report");
  });

  test("a command that exits 2 denies with what it wrote on standard error as the reason", async () => {
    const { run } = await runOfProgram(`console.error("not on a Friday"); process.exit(2);`);
    const error = await rejection(run.wrap({ t: () => 1 }).t());
    expect(error).toBeInstanceOf(HookDenied);
    expect(error).toMatchObject({ reason: "not on a Friday", handler: "guard" });
    await run.end("report");
  });

  test("any other exit of a command is a recorded hook error and the call goes on", async () => {
    const { run } = await runOfProgram(`console.error("out of memory"); process.exit(1);`);
    expect(await run.wrap({ t: () => 1 }).t()).toBe(1);
    expect(run.errors).toMatchObject([{ event: "pre_tool_call", tool_name: "t", handler: "guard" }]);
    expect(run.denials).toEqual([]);
    await run.end("report");
  });

  test("on_error decides what a failed handler makes of the call", async () => {
    const kinds: readonly (readonly [string, unknown])[] = [
      ["record", undefined],
      ["deny", HookDenied],
      ["ask", HookDenied],
      ["raise", HookError],
    ];
    for (const [kind, thrown] of kinds) {
      const { run } = await runOfProgram("process.exit(7);", { keys: `, on_error = "${kind}"` });
      const call = run.wrap({ t: () => 1 }).t();
      if (thrown === undefined) expect(await call).toBe(1);
      else expect(await rejection(call), kind).toBeInstanceOf(thrown);
      expect(run.errors, kind).toHaveLength(1);
      await run.end("report");
    }
  });

  test("where a failed handler asks, the one who was given to the run answers", async () => {
    for (const answer of ["allow", "deny"] as const) {
      const prompts: string[] = [];
      const ask: Ask = {
        available: true,
        ask: async ({ prompt }) => {
          prompts.push(prompt);
          return answer === "allow" ? { kind: "allow", scope: "once" } : { kind: "deny" };
        },
      };
      const config = `[[hooks.pre_tool_call]]\nname = "guard"\nhandlers = [{ type = "command", command = [${node}, "-e", "process.exit(7)"], on_error = "ask" }]\n`;
      const { run } = await runOf(config, { options: { ask } });
      const call = run.wrap({ t: () => 1 }).t();
      if (answer === "allow") expect(await call).toBe(1);
      else expect(await rejection(call)).toBeInstanceOf(HookDenied);
      expect(prompts).toHaveLength(1);
      expect(prompts[0]).toMatch(/guard broken: the rule guard/);
      await run.end("report");
    }
  });

  test("an HTTP endpoint is posted the event and answers like a handler", async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        bodies.push(`${request.method} ${body}`);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ decision: "deny", reason: "the endpoint says no" }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nhandlers = [{ type = "http", url = "http://127.0.0.1:${port}/check" }]\n`,
    );
    expect(await rejection(run.wrap({ t: () => 1 }).t())).toMatchObject({ reason: "the endpoint says no" });
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatch(/^POST \{.*"event":"pre_tool_call"/);
    await run.end("report");
    await new Promise((resolve) => server.close(resolve));
  });

  test("a callable of TypeScript is a function of a file beside the configuration", async () => {
    const guards = `import { limit } from "./limit";\ntype Event = { tool_input: { n: number } };\nexport function check(event: Event): object | null {\n  return event.tool_input.n > limit ? { decision: "deny", reason: "too many" } : null;\n}\n`;
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nhandlers = [{ type = "callable", target = "./guards.ts:check" }]\n`,
      { files: { "guards.ts": guards, "limit.ts": "export const limit: number = 5;\n" } },
    );
    const { t } = run.wrap({ t: ({ n }: { n: number }) => n });
    expect(await t({ n: 5 })).toBe(5);
    expect(await rejection(t({ n: 6 }))).toMatchObject({ reason: "too many" });
    await run.end("report");
  });

  test("a callable of Python is named by its module and function", async () => {
    const guards = `def check(event):\n    if event["tool_input"].get("q") == "drop":\n        return {"decision": "deny", "reason": "no drops"}\n    return None\n`;
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nhandlers = [{ type = "callable", target = "my_guards:check" }]\n`,
      { files: { "my_guards.py": guards } },
    );
    const { t } = run.wrap({ t: ({ q }: { q: string }) => q });
    expect(await t({ q: "select" })).toBe("select");
    expect(await rejection(t({ q: "drop" }))).toMatchObject({ reason: "no drops" });
    await run.end("report");
  });

  test("a deny handler refuses what its rule matches with the reason that the file gives", async () => {
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nname = "no-mail"\nmatcher = "send_.*"\nhandlers = [{ type = "deny", reason = "mail is off" }]\n`,
    );
    const tools = run.wrap({ send_mail: () => 1, read_mail: () => 2 });
    expect(await rejection(tools.send_mail())).toMatchObject({ reason: "mail is off", handler: "no-mail" });
    expect(await tools.read_mail()).toBe(2);
  });

  test("rules of the file run in the order in which they are written, those with before first", async () => {
    const rule = (name: string, before = ""): string =>
      `[[hooks.post_tool_call]]\nname = "${name}"\n${before}handlers = [{ type = "command", command = [${node}, "-e", "console.log('${name}')"] }]\n`;
    const { run } = await runOf(rule("a") + rule("b") + rule("c", "before = true\n"));
    expect(await run.wrap({ t: () => "r" }).t()).toBe("r\n\n[hook c] c\n\n[hook a] a\n\n[hook b] b");
    await run.end("report");
  });

  test("a rule of code with before goes ahead of all rules of the file, also of those with before", async () => {
    const { run } = await runOf(
      `[[hooks.pre_tool_call]]\nbefore = true\nhandlers = [{ type = "deny", reason = "the file" }]\n`,
    );
    run.on("pre_tool_call", DenyHandler("the code"), { before: true });
    expect(await rejection(run.wrap({ t: () => 1 }).t())).toMatchObject({ reason: "the code" });
  });

  test("handlers of the file live on after the end until the last call that is under way has used them", async () => {
    const guards = `const started = Math.random();\nexport const mark = () => ({ updated_result: started });\n`;
    const { run } = await runOf(
      `[[hooks.post_tool_call]]\nhandlers = [{ type = "callable", target = "./guards.mjs:mark" }]\n`,
      { files: { "guards.mjs": guards } },
    );
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const tools = run.wrap({ quick: () => 0, slow: () => pause(300).then(() => 0) });
    const process = await tools.quick();
    const call = tools.slow();
    await pause(20);
    await run.end("report");
    expect(process).toBeGreaterThan(0);
    expect(await call).toBe(process);
    expect(run.errors).toEqual([]);
  });

  test("the run's id and folder are filled into commands, and the folder is there", async () => {
    const program = `require("node:fs").writeFileSync(process.argv[3] + "/seen.txt", process.argv[2]);`;
    const config = `[[hooks.run_end]]\nhandlers = [{ type = "command", command = [${node}, "guard.cjs", "{run_id}", "{run_dir}"] }]\n`;
    const { run, folder } = await runOf(config, {
      files: { "guard.cjs": program },
      options: { runId: "r-1" },
    });
    expect(run.errors).toEqual([]);
    await run.end("report");
    expect(run.errors).toEqual([]);
    expect(run.runDir).toMatch(/runs.r-1$/);
    expect(await readFile(join(run.runDir, "seen.txt"), "utf8")).toBe("r-1");
    expect(folder).not.toBe(run.runDir);
  });

  test("one file holds the rules of all five events", async () => {
    const events = ["pre_tool_call", "post_tool_call", "pre_request", "post_response", "run_end"];
    const config = events
      .map(
        (event) =>
          `[[hooks.${event}]]\nname = "${event}"\nhandlers = [{ type = "command", command = [${node}, "-e", "console.log('${event}')"] }]\n`,
      )
      .join("\n");
    const { run } = await runOf(config);
    expect(await run.wrap({ t: () => ({}) }).t()).toEqual({
      hook_context: ["[hook pre_tool_call] pre_tool_call", "[hook post_tool_call] post_tool_call"],
    });
    const session = run.session({}, { requestFn: () => ({ status: 200, body: null, headers: {} }) });
    expect((await session.request("GET", "/")).hook_context).toEqual([
      "[hook pre_request] pre_request",
      "[hook post_response] post_response",
    ]);
    expect((await run.end("report")).context).toEqual(["[hook run_end] run_end"]);
  });
});
