/** What a person has accepted, and the user's settings for programs outside the editor: files in `~/.countersign`. Decides nothing. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { CountersignError, messageOf } from "../core/errors";
import type { InForce } from "../core/rules/inForce";
import { type ConfigFile, configSchema } from "../core/rules/schema";
import { strictUserLayer } from "../core/rules/strict";
import { DATA_FOLDER, realOf } from "./dataFolder";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "./privateFile";
import { rememberedFiles } from "./rememberedFile";

export interface Snapshot extends InForce {
  /** Text of the file, for a person to look back at; absent when only a part applies. */
  readonly text?: string;
  readonly by: "person" | "tightening";
}

export type Stored<T> =
  | { readonly kind: "none" }
  | { readonly kind: "kept"; readonly value: T }
  /** There is something that cannot be believed: treat as unknown, never as nothing. */
  | { readonly kind: "damaged"; readonly message: string };

/** The editor's user layer, for hook clients, MCP and the command line. */
export interface StateMirror {
  readonly user: ConfigFile;
  readonly locked: readonly string[];
  /** Real paths of the workspace folders that the person trusts. */
  readonly trusted: readonly string[];
}

export interface TrustStore {
  load(root: string): Promise<Stored<InForce>>;
  /** Throws `folder.unsafe` when it cannot be kept. */
  save(root: string, snapshot: Snapshot): Promise<void>;
  readState(): Promise<Stored<StateMirror>>;
  writeState(state: StateMirror): Promise<void>;
}

// A layer is what the configuration file's own schema accepts, kept as it was written.
const layer = z.custom<ConfigFile>((value) => configSchema.safeParse(value).success, "not a configuration");
const earlier = z.object({ digest: z.string().optional(), acceptedAt: z.string() });
const snapshotSchema = z.object({
  version: z.literal(1),
  root: z.string(),
  digest: z.string().exactOptional(),
  text: z.string().exactOptional(),
  by: z.enum(["person", "tightening"]),
  acceptedAt: z.string(),
  layer,
  accepted: layer.exactOptional(),
  reach: z.string().exactOptional(),
  undecided: z.boolean(),
  previous: earlier.exactOptional(),
});
const stateSchema = z.object({
  version: z.literal(1),
  user: layer,
  locked: z.array(z.string()),
  trusted: z.array(z.string()),
});

export interface TrustStoreDeps {
  /** The home folder. */
  readonly home: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createTrustStore({ home, now }: TrustStoreDeps): TrustStore {
  const base = join(home, DATA_FOLDER);
  const folder = join(base, "accepted");
  const snapshots = storedFiles(snapshotSchema, now);
  const states = storedFiles(stateSchema, now);
  const inForce = new WeakMap<object, InForce>();
  const statePath = join(base, "state.json");
  const pathOf = (root: string) => join(folder, `${createHash("sha256").update(root).digest("hex")}.json`);
  const loadRaw = async (root: string) => {
    const stored = await snapshots.of(pathOf(root));
    return stored.kind === "kept" && stored.value.root !== root
      ? { kind: "damaged" as const, message: "it is about another folder" }
      : stored;
  };
  return {
    async load(root) {
      const stored = await loadRaw(await realOf(root));
      if (stored.kind !== "kept") return stored;
      const known = inForce.get(stored.value);
      if (known !== undefined) return { kind: "kept", value: known };
      const { layer, accepted, digest, reach, undecided } = stored.value;
      const value: InForce = {
        layer,
        undecided,
        ...(accepted === undefined ? {} : { accepted }),
        ...(digest === undefined ? {} : { digest }),
        ...(reach === undefined ? {} : { reach }),
      };
      inForce.set(stored.value, value);
      return { kind: "kept", value };
    },
    async save(root, snapshot) {
      const real = await realOf(root);
      const before = await loadRaw(real);
      const previous = before.kind === "kept" ? earlier.parse(before.value) : undefined;
      const body = { version: 1, root: real, ...snapshot, acceptedAt: new Date(now()).toISOString() };
      await ensurePrivateFolder(base);
      await writePrivateFile(pathOf(real), toText(previous === undefined ? body : { ...body, previous }));
    },
    readState: () => states.of(statePath),
    async writeState(state) {
      await writePrivateFile(statePath, toText({ version: 1, ...state }));
    },
  };
}

/** A window has few folders open. */
const MAX_REMEMBERED = 16;

const toText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

interface StoredFiles<T> {
  of(path: string): Promise<Stored<T>>;
}

/** The files are asked for with every call: one that has not changed is not read again, and a text not checked twice. */
function storedFiles<T>(schema: z.ZodType<T>, now: () => number): StoredFiles<T> {
  const files = rememberedFiles<Stored<T>>({
    now,
    limit: MAX_REMEMBERED,
    holds: ({ kind }) => kind === "kept",
  });
  const texts = new Map<string, { readonly text: string; readonly stored: Stored<T> }>();
  const read = async (path: string): Promise<Stored<T>> => {
    try {
      const text = await readPrivateFile(path);
      if (text === undefined) return { kind: "none" };
      const known = texts.get(path);
      if (known?.text === text) return known.stored;
      const checked = schema.safeParse(JSON.parse(text));
      if (!checked.success) return { kind: "damaged", message: `The file ${path} is damaged.` };
      const stored: Stored<T> = { kind: "kept", value: checked.data };
      if (texts.size >= MAX_REMEMBERED) texts.delete(texts.keys().next().value ?? "");
      texts.set(path, { text, stored });
      return stored;
    } catch (error) {
      const message = error instanceof CountersignError ? error.message : `${path}: ${messageOf(error)}`;
      return { kind: "damaged", message };
    }
  };
  return { of: (path) => files.of(path, () => read(path)) };
}

export interface UserLayer {
  readonly user: ConfigFile;
  readonly locked: readonly string[];
  readonly trusted: boolean;
}

/** The user layer that a program outside the editor goes by: absent or damaged means strictest, everything locked, nothing trusted. */
export async function mirroredUserLayer(store: TrustStore, root: string): Promise<UserLayer> {
  const state = await store.readState();
  if (state.kind !== "kept") return { user: strictUserLayer, locked: ["*"], trusted: false };
  const { user, locked, trusted } = state.value;
  return { user, locked, trusted: trusted.includes(await realOf(root)) };
}
