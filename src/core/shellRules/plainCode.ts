/** Program text with its other names taken back: aliases of imports, joined texts, members named by a text. Knows no language's grammar. */
import { rememberLast } from "../shell/rememberLast";

const MAX_ROUNDS = 3;
const MAX_CODE = 65_536;
const NAME = String.raw`[A-Za-z_$][\w$]*`;
/** Members that run or remove, whatever object they are asked of. */
const RED =
  /^(?:system|popen\w*|exec\w*|spawn\w*|fork|call|run|check_call|check_output|getoutput|rmtree|rmSync|rmdirSync|rmdir|rm|rm_rf|rm_r|remove|removedirs|unlink\w*|truncate\w*|removeSync|emptyDirSync|rimraf\w*|fork|eval)$/;

const remembered = rememberLast((code) => readPlain(code));

/** The same program, as far as its words tell it. */
export const plainCode = (code: string): string => remembered(code, "sh");

function readPlain(code: string): string {
  if (code.length > MAX_CODE) return code;
  let text = code;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = renamedBack(membersPlain(textsJoined(text)));
    if (next === text) break;
    text = next;
  }
  return text;
}

/** Texts in a row. Each gap can be read in one way only: what is never closed must not cost more than its length. */
const LIST = String.raw`\s*(?:'[^'"\\\n]*'|"[^'"\\\n]*")(?:(?:\s*,)?\s*(?:'[^'"\\\n]*'|"[^'"\\\n]*"))*(?:\s*,)?\s*`;
const JOINED = new RegExp(String.raw`(['"])( ?)\1\.join\(\s*\[(${LIST})\]\s*\)`, "g");
const JOINS = new RegExp(String.raw`\[(${LIST})\]\.join\(\s*(['"])( ?)\2\s*\)`, "g");

function textsOf(list: string): readonly string[] {
  return [...list.matchAll(/(['"])([^'"\\\n]*)\1/g)].map((found) => found[2] ?? "");
}

/** `"rm"+" -rf"`, `chr(114)`, `' '.join(['rm','-rf'])`, `'%s x' % 'rm'` */
function textsJoined(code: string): string {
  return code
    .replace(/\b(?:chr|String\.fromCharCode)\(\s*(\d{2,3})\s*\)/g, (_, digits: string) =>
      JSON.stringify(String.fromCharCode(Number(digits))),
    )
    .replace(/\\x([0-9a-f]{2})/gi, (whole, digits: string) => {
      const char = String.fromCharCode(Number.parseInt(digits, 16));
      return /[\w\s/.-]/.test(char) ? char : whole;
    })
    .replace(
      /(['"])([^'"\\\n]*)\1\s*(?:\+|\.(?=\s*['"])|\.\.)\s*(['"])([^'"\\\n]*)\3/g,
      (_, q: string, a: string, _r: string, b: string) => `${q}${a}${b}${q}`,
    )
    .replace(JOINED, (_, q: string, by: string, list: string) => `${q}${textsOf(list).join(by)}${q}`)
    .replace(JOINS, (_, list: string, q: string, by: string) => `${q}${textsOf(list).join(by)}${q}`)
    .replace(
      /(['"])%s([^'"%\n]*)\1\s*%(?:\s*\()?\s*(['"])([^'"\n]*)\3(?:\s*,)?(?:\s*\))?/g,
      (_, q: string, rest: string, _r: string, word: string) => `${q}${word}${rest}${q}`,
    )
    .replace(
      /\bf(['"])((?:(?!\1)[^{}\n])*)\{\s*\\?(['"])([^'"{}\n]*?)\\?\3\s*\}/g,
      (_, q: string, before: string, _r: string, word: string) => `f${q}${before}${word}`,
    );
}

/** `f["rmSync"]`, `getattr(os, "system")`, `x.__dict__["rmtree"]`, `send(:rm_rf, …)` */
function membersPlain(code: string): string {
  return code
    .replace(
      /\bgetattr\(\s*([^,()]{1,80}(?:\([^()]{0,80}\))?)\s*,\s*(['"])(\w+)\2\s*(?:,[^()]*)?\)/g,
      "$1.$3",
    )
    .replace(/\.__dict__(?=\s*\[)|\bvars\(\s*(\w+)\s*\)(?=\[)/g, "$1")
    .replace(/(?<=[\w)\]])\s*\[\s*(['"`])([A-Za-z_]\w*)\1\s*\](?=\s*[(;,)\s]|$)/g, ".$2")
    .replace(/\b(?:public_|__)?send(?:__)?[\s(]+:?(['"]?)(\w+)\1\s*,/g, "$2(");
}

/** `import os as o`, `from os import system as s`, `{rmSync: r}`, `r = shutil.rmtree`, `k = "rmSync"` */
function renamedBack(code: string): string {
  const names = new Map<string, string>();
  const add = (name: string | undefined, own: string | undefined) => {
    if (name !== undefined && own !== undefined && name !== own && RED.test(own.split(".").at(-1) ?? ""))
      names.set(name, own);
  };
  for (const [, own, name] of code.matchAll(/\b(\w+)\s+as\s+(\w+)/g)) add(name, own);
  for (const [, own, name] of code.matchAll(
    new RegExp(String.raw`[{,]\s*(\w+)\s*:\s*(${NAME})\s*(?=[,}])`, "g"),
  ))
    add(name, own);
  for (const [, name, own] of code.matchAll(ASSIGNED)) if (own?.includes(".") === true) add(name, own);
  const words = new Map<string, string>();
  for (const [, name = "", word = ""] of code.matchAll(WORD)) if (RED.test(word)) words.set(name, word);
  const put =
    (from: ReadonlyMap<string, string>, shown: (own: string) => string) =>
    (whole: string, name: string): string => {
      const own = from.get(name);
      return own === undefined ? whole : shown(own);
    };
  const called =
    names.size === 0
      ? code
      : code.replace(
          CALLED,
          put(names, (own) => own),
        );
  if (words.size === 0) return called;
  return called
    .replace(
      MEMBER,
      put(words, (word) => `.${word}`),
    )
    .replace(
      CALLED_WORD,
      put(words, (word) => word),
    )
    .replace(
      LAST_GIVEN,
      put(words, (word) => `,"${word}")`),
    );
}

const ASSIGNED = new RegExp(
  String.raw`(?:^|[\s;,({])(${NAME})\s*=\s*([\w$.]+|(?:require\([^()]*\)|__import__\([^()]*\))(?:\.[\w$]+)+)\s*(?=[;,\n)]|$)`,
  "g",
);
const WORD = new RegExp(String.raw`(?:^|[\s;,({])(${NAME})\s*=\s*['"](\w+)['"]`, "g");
const CALLED = new RegExp(String.raw`(?<![\w$.'"])(${NAME})(?=\s*\()`, "g");
const MEMBER = new RegExp(String.raw`\[\s*(${NAME})\s*\]`, "g");
const CALLED_WORD = new RegExp(String.raw`(?<![\w.$])(${NAME})(?=\s*\()`, "g");
const LAST_GIVEN = new RegExp(String.raw`,\s*(${NAME})\s*\)`, "g");
