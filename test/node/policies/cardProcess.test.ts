import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { createServant } from "../../../src/node/handlers/servant";
import { policyPlan } from "../../../src/node/policies/policyPlan";
import { readPolicy } from "../../../src/node/policies/readPolicies";
import { call, quietLog } from "../../core/fixtures";
import { NEVER, one, open, policyText, running } from "./rigs";

test("who waited for a start leaves nothing behind on a signal that lives on", async () => {
  const [source] = one(policyText(""));
  const read = source === undefined ? undefined : await readPolicy(source);
  if (read?.ok !== true) throw new Error("the card cannot be read");
  const { folder, entry, modules } = read;
  const plan = { name: "p", folder, entries: [entry], modules, unconfined: false, log: quietLog };
  const servant = createServant(policyPlan({ ...plan, onPrinted: () => undefined }));
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 20 }, () => servant.ready(signal)));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(await servant.ready(signal)).toMatchObject({ ok: true, value: { confined: true } });
  await servant.close();
});

test("a caller that goes is not kept, and ends nobody's process", async () => {
  const body = 'await new Promise((r) => setTimeout(r, 300)); return { action: "deny", reason: "no" };';
  const { ask, policies } = await open(one(policyText(body)));
  await ask();
  const before = running();
  const gone = new AbortController();
  const asked = policies.before(call("Bash", {}), {}, gone.signal);
  setTimeout(() => gone.abort(), 50);
  const began = performance.now();
  expect((await asked).deny?.reason).toBe("policy error: the caller has gone");
  expect(performance.now() - began).toBeLessThan(290);
  expect(running()).toEqual(before);
  expect(getEventListeners(NEVER, "abort")).toEqual([]);
});

test("many calls at once are answered each by itself", async () => {
  const body =
    'await new Promise((r) => setTimeout(r, Math.random() * 20)); return { action: "deny", reason: String(event.input) };';
  const { ask } = await open(one(policyText(body)));
  const names = Array.from({ length: 100 }, (_, i) => `echo ${i}`);
  const all = await Promise.all(names.map((command) => ask({ command })));
  expect(all.map(({ deny }) => deny?.reason)).toEqual(names);
});
