/**
 * What installing and uninstalling do to one settings file, as text in and text out. Our entries are known by the launcher or the
 * plugin file that they name. Knows no disk.
 */
import { isPlainObject } from "../../core/call";
import { type Path, parseJsonc, valueAt } from "./jsonc";
import { appendTo, type Edited, takeOut } from "./jsonEdit";
import type { SettingsFile } from "./settingsPlan";

export interface Installed {
  readonly text: string;
  /** Containers that were not there before; they go again when they are empty. */
  readonly made: readonly Path[];
}

export type PlannedInstall =
  | { readonly ok: true; readonly value: Installed }
  | { readonly ok: false; readonly message: string };

const OURS = /[/\\]\.countersign[/\\]+bin[/\\]+(?:hook\b|opencode\.mjs)/;

/** Whether an entry of a settings file is one of ours. */
export function isOurs(value: unknown): boolean {
  return OURS.test(JSON.stringify(value) ?? "");
}

/** `text` undefined = there is no file. Installing again changes nothing, or brings our entries up to date. */
export function plannedInstall(text: string | undefined, file: SettingsFile): PlannedInstall {
  const fresh = `${JSON.stringify(file.initial ?? {}, null, 2)}\n`;
  const original = text === undefined ? fresh : text;
  if (isCurrent(original, file)) return { ok: true, value: { text: original, made: [] } };
  const without = plannedUninstall(original, { file, made: [] });
  if (!without.ok) return without;
  let now = without.text;
  const made: Path[] = [];
  for (const { path, value } of file.entries) {
    made.push(...missing(now, path));
    const edited = appendTo(now, path, value);
    if (!edited.ok) return edited;
    now = edited.text;
  }
  return { ok: true, value: { text: now, made } };
}

/** True when exactly our entries of now are in the file. */
export function isCurrent(text: string, { entries }: Pick<SettingsFile, "entries">): boolean {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return false;
  return entries.every(({ path, value }) => {
    const list = valueAt(parsed.value, path);
    const ours = Array.isArray(list) ? list.filter(isOurs) : [];
    return ours.length === 1 && JSON.stringify(ours[0]) === JSON.stringify(value);
  });
}

/** All of our entries go, also such as older versions wrote under other names. */
export function plannedUninstall(
  text: string,
  { file, made }: { readonly file: SettingsFile; readonly made: readonly Path[] },
): Edited {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return { ok: false, message: parsed.message };
  const places = new Map(file.entries.map(({ path }) => [JSON.stringify(path), path]));
  const hooks = valueAt(parsed.value, ["hooks"]);
  if (isPlainObject(hooks))
    for (const name of Object.keys(hooks)) places.set(JSON.stringify(["hooks", name]), ["hooks", name]);
  let now = text;
  for (const within of places.values()) {
    const edited = takeOut(now, { within, ours: isOurs, made: [] });
    if (!edited.ok) return edited;
    now = edited.text;
  }
  return takeOut(now, { within: [], ours: () => false, made });
}

function missing(text: string, path: Path): Path[] {
  const parsed = parseJsonc(text);
  if (!parsed.ok) return [];
  return path
    .map((_, index) => path.slice(0, index + 1))
    .filter((prefix) => valueAt(parsed.value, prefix) === undefined);
}
