/** `npm start`: the loop with three tools, against your model (MODEL_URL, MODEL_NAME, MODEL_KEY) or a scripted one. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHooks, verifyAuditLog } from "countersign";
import { runLoop } from "./loop.mjs";
import { script } from "./script.mjs";
import { startModel } from "./scriptedModel.mjs";
import { createTools } from "./tools.mjs";

const folder = await mkdtemp(join(tmpdir(), "countersign-loop-"));
await writeFile(join(folder, "notes.txt"), "Ask Ada about the leavers.\n");
const auditPath = join(folder, "storage/audit.jsonl");
const hooks = await createHooks({ auditPath, roots: [folder] });
const { tools, close } = createTools(folder);

const { MODEL_URL, MODEL_NAME = "scripted", MODEL_KEY } = process.env;
const scripted = MODEL_URL ? undefined : await startModel(script);
const model = { url: MODEL_URL ?? scripted.url, name: MODEL_NAME, key: MODEL_KEY };

const prompt = process.argv[2] ?? "Remove everybody who has left from the staff database.";
const onCall = ({ name, input, said }) => console.log(`${name} ${input} → ${said.kind}`);
const words = await runLoop({ model, tools, prompt, hooks, sessionId: "example", onCall });
console.log(words);

scripted?.close();
close();
await hooks.close();
const { ok, count } = await verifyAuditLog(auditPath);
console.log(`audit log: ${count} records, ${ok ? "verified" : "BROKEN"}`);
await rm(folder, { recursive: true });
