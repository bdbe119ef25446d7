/** Which files beside it a program text loads: `import x`, `from .x import y`, `require("./x")`, `. ./x.sh`. Reads no file. */
import type { ExecutedFile } from "./executedFile";

const PYTHON =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b|import[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*))/gm;
const SCRIPT =
  /(?:\bfrom[ \t]*|\bimport[ \t]*\(?[ \t]*|\brequire[ \t]*\([ \t]*)["'`](\.{1,2}\/[^"'`\n]{1,300})["'`]/g;
const RUBY =
  /\brequire_relative[ \t]+["']([^"'\n]{1,300})["']|\bload[ \t]+["'](\.{1,2}\/[^"'\n]{1,300})["']/g;
const MAX_IMPORTS = 100;

/** Places where the loaded file may lie, below the folder of the program. */
export function localImports(text: string, interpreter: string): readonly ExecutedFile[] {
  const paths = /^(?:python|pypy)/.test(interpreter)
    ? python(text)
    : /^ruby/.test(interpreter)
      ? [...text.matchAll(RUBY)].flatMap(([, a, b]) => withEndings(a ?? b ?? "", ["", ".rb"]))
      : /^(?:node|deno|bun|tsx)/.test(interpreter)
        ? [...text.matchAll(SCRIPT)].flatMap(([, path = ""]) => script(path))
        : [];
  return [...new Set(paths)].slice(0, MAX_IMPORTS).map((path) => ({ path, how: { kind: "program" } }));
}

function python(text: string): readonly string[] {
  return [...text.matchAll(PYTHON)].flatMap(([, from, plain]) => {
    const names = from === undefined ? (plain ?? "").split(",") : [from];
    return names.flatMap((name) => {
      const dots = /^\.*/.exec(name.trim())?.[0].length ?? 0;
      const up = "../".repeat(Math.max(dots - 1, 0));
      const path = name.trim().slice(dots).replaceAll(".", "/");
      return path === "" ? [`${up}__init__.py`] : [`${up}${path}.py`, `${up}${path}/__init__.py`];
    });
  });
}

const ENDINGS = ["", ".js", ".ts", ".mjs", ".mts", ".cjs", ".cts", ".tsx", ".jsx", "/index.js", "/index.ts"];

/** `./x.js` may stand for `x.ts`. */
function script(path: string): readonly string[] {
  const bare = path.replace(/\.[cm]?js$/, "");
  return bare === path
    ? withEndings(path, ENDINGS)
    : [path, ...withEndings(bare, [".ts", ".mts", ".cts", ".tsx"])];
}

function withEndings(path: string, endings: readonly string[]): readonly string[] {
  return path === "" ? [] : endings.map((ending) => `${path}${ending}`);
}
