import { existsSync, readdirSync, rmSync } from "node:fs";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAuditLock } from "../../src/node/auditLock";
import { newFolder } from "./auditProcess";

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = path.join(folder, "audit.lock.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("one holder at a time, also beside a program that locks in SQLite's own way", () => {
  const [one, two] = [openAuditLock(file), openAuditLock(file)];
  const other = new DatabaseSync(file, { timeout: 0 });
  expect([one.tryAcquire(), two.tryAcquire()]).toEqual([true, false]);
  expect(() => other.exec("BEGIN IMMEDIATE")).toThrow(/locked/);
  one.release();
  other.exec("BEGIN IMMEDIATE");
  expect([one.tryAcquire(), two.tryAcquire()]).toEqual([false, false]);
  other.exec("ROLLBACK");
  expect([two.tryAcquire(), one.tryAcquire()]).toEqual([true, false]);
  two.release();
  other.close();
  for (const lock of [one, two]) lock.close();
});

test("a lock opened while another program writes to the side file waits its turn", () => {
  openAuditLock(file).close();
  const other = new DatabaseSync(file, { timeout: 0 });
  other.exec("BEGIN EXCLUSIVE");
  const lock = openAuditLock(file);
  expect(lock.tryAcquire()).toBe(false);
  other.exec("ROLLBACK");
  expect(lock.tryAcquire()).toBe(true);
  lock.release();
  lock.close();
  other.close();
});

test("holding it writes nothing: no journal comes and goes with each record", () => {
  const lock = openAuditLock(file);
  expect(lock.tryAcquire()).toBe(true);
  expect(existsSync(`${file}-journal`)).toBe(false);
  lock.release();
  expect(readdirSync(folder)).toEqual(["audit.lock.db"]);
  lock.close();
});
