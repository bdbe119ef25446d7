/** `npm start`: the agent with three governed tools, against Claude (ANTHROPIC_API_KEY) or a scripted model. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHooks, verifyAuditLog } from "countersign";
import { runAgent } from "./agent.mjs";
import { script } from "./script.mjs";
import { startModel } from "./scriptedModel.mjs";
import { createTools } from "./tools.mjs";

const folder = await mkdtemp(join(tmpdir(), "countersign-agent-"));
await writeFile(join(folder, "notes.txt"), "Ask Ada about the leavers.\n");
const auditPath = join(folder, "storage/audit.jsonl");
const hooks = await createHooks({ auditPath, roots: [folder] });
const { tools, close } = createTools(folder);

const scripted = process.env.ANTHROPIC_API_KEY ? undefined : await startModel(script);
const offline = {
  ANTHROPIC_BASE_URL: scripted?.url,
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
};
const env = scripted ? { ...process.env, ...offline } : process.env;

const prompt = process.argv[2] ?? "Remove everybody who has left from the staff database.";
const onCall = ({ name, input, said }) => console.log(`${name} ${input} → ${said.kind}`);
const sdk = { env, cwd: folder };
const message = await runAgent({ tools, prompt, hooks, sessionId: "example", sdk, onCall });
console.log(message.subtype === "success" ? message.result : message.subtype);

scripted?.close();
close();
await hooks.close();
const { ok, count } = await verifyAuditLog(auditPath);
console.log(`audit log: ${count} records, ${ok ? "verified" : "BROKEN"}`);
await rm(folder, { recursive: true, maxRetries: 5 });
