/** Runs backends one after the other over one chain, in the folder of an installed example. Takes a job as JSON on stdin, prints what ran. */
import { createHooks, Rewrite } from "countersign";

const job = JSON.parse(Buffer.concat(await process.stdin.toArray()).toString());
const asked = [];
const ask = {
  available: true,
  async ask(request) {
    asked.push(request.by[0] ?? null);
    return { kind: "deny" };
  },
};
const hooks = await createHooks({
  auditPath: job.auditPath,
  roots: [job.root],
  env: {},
  config: { chain: { options: { destructive_sql: { consent: job.consent } } } },
  ...(job.consent === "human" ? { ask } : {}),
});
hooks.chain.add({
  name: "black_tea",
  preToolUse: (_ctx, tool, args) =>
    tool === "make_tea" && args.kind === "any" ? Rewrite({ ...args, kind: "black" }) : undefined,
});

const backends = {
  native: async (how) => {
    const { runLoop } = await import(how.module);
    return runLoop({ ...how, model: { url: how.url, name: "scripted" } });
  },
  sdk: async (how) => {
    const { runAgent } = await import(how.module);
    const sdk = { cwd: job.root, env: { ...process.env, ...how.env } };
    return runAgent({ ...how, sdk });
  },
};

const ran = {};
for (const { backend, ...how } of job.backends) {
  const handled = [];
  const tools = job.tools.map((tool) => ({
    ...tool,
    description: `Does ${tool.name}.`,
    required: [],
    run(args) {
      handled.push({ tool: tool.name, args });
      return `ran ${tool.name}`;
    },
  }));
  const before = asked.length;
  await backends[backend]({ ...how, tools, hooks, prompt: "Please do it.", sessionId: backend });
  ran[backend] = { handled, asked: asked.slice(before) };
}
await hooks.close();
process.stdout.write(JSON.stringify(ran));
