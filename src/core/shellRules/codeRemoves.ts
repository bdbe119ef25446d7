/** Finds calls in program text that remove whole folders or many files. Knows no language's grammar. */
import { type CodeLiteral, codeParts } from "../shell/codeLiterals";
import { isDisposable } from "./disposable";

/** Removes a folder with all that lies in it. */
const REMOVES_TREE =
  /(?:^|[.:>\s(;!])(?:rmtree|rm_rf|rm_r|remove_dir_all|rimraf|rimrafSync|removeSync|emptyDirSync|emptyDir|remove_tree|removedirs|deltree|deleteTree|deleteDir|secure_path|remove_entry_secure|RemoveAll)$/;
/** Does so where it is told to go deep. */
const REMOVES_DEEP = /(?:^|[.:>\s(;!])(?:rm|rmSync|rmdir|rmdirSync|remove)$/;
const CALL = /([\w.:>!]+)\s*(?:\(|\s"")/g;
/** Removes files one by one, of a list that it reads itself. */
const MANY =
  /\b(?:glob|rglob|iglob|listdir|scandir|os\.walk|readdirSync|readdir|Dir\.glob|Dir\[|iterdir|find)\b/;
const REMOVES_ONE =
  /\b(?:os\.remove|os\.unlink|\.unlink\s*\(|unlinkSync|fs\.unlink|File\.delete|FileUtils\.rm|unlink\s*\()/;

const MAX_CODE = 262_144;

/** The call that removes, or undefined. */
export function removingCall(code: string, program: string): string | undefined {
  if (code.length > MAX_CODE || !/rm|remove|unlink|delete|emptyDir|rimraf|deltree/i.test(code))
    return undefined;
  const { literals, comments } = codeParts(code, program);
  const bare = withoutTexts(code, [...literals, ...comments]);
  for (const [, name = ""] of bare.matchAll(CALL)) {
    const deep = REMOVES_TREE.test(name) || (REMOVES_DEEP.test(name) && /recursive|force\s*[:=]/.test(bare));
    if (deep && !onlyDisposable(name, literals)) return name;
  }
  return MANY.test(bare) && REMOVES_ONE.test(bare) ? "a loop over files" : undefined;
}

function onlyDisposable(name: string, literals: readonly CodeLiteral[]): boolean {
  const own = literals.filter(
    ({ calls, before }) =>
      before.trimEnd().endsWith(name) ||
      calls.some((call) => name.endsWith(call.name) || call.name.endsWith(name)),
  );
  return own.length > 0 && own.every(({ text }) => isDisposable(text, { taken: "deep" }));
}

function withoutTexts(
  code: string,
  parts: readonly { readonly start: number; readonly end: number }[],
): string {
  let out = "";
  let at = 0;
  for (const { start, end } of [...parts].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    out += `${code.slice(at, start)}""`;
    at = end;
  }
  return out + code.slice(at);
}
