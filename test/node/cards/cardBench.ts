/** Cards in folders of their own, for tests. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { CardFile } from "../../../src/core/cards/cardFiles";
import { rawTar } from "../../core/cards/rawTar";

export interface Folder {
  readonly path: string;
  remove(): void;
}

export function newFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cards-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export const text = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

export const DENIES = `import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  async beforeToolCall(event) {
    return String(event.input).includes("rm -rf /")
      ? { action: "deny", reason: "Not the root." }
      : { action: "allow" };
  },
});
`;

export const manifest = (extra: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ name: "@acme/backend", version: "1.0.0", hooks: { include: ["no-root"] }, ...extra }, null, 2)}\n`;

/** A card with one policy that stops calls. */
export const cardFiles = (
  extra: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, string>> => ({
  "card.json": manifest(extra),
  "hooks/no-root/policy.ts": DENIES,
});

export const asFiles = (files: Readonly<Record<string, string>>): readonly CardFile[] =>
  Object.entries(files).map(([path, content]) => ({ path, bytes: new TextEncoder().encode(content) }));

/** Packed as somebody else would. */
export const packedBy = (files: Readonly<Record<string, string>>): Buffer =>
  gzipSync(rawTar(Object.entries(files).map(([path, body]) => ({ path: `package/${path}`, body }))));
