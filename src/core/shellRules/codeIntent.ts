/** What program text of any language would run or remove, beside the calls that stand in it plainly. Knows words, and no language's grammar. */
import { codeParts } from "../shell/codeLiterals";
import { isDisposable } from "./disposable";

/** Names that start other programs. */
const RUNNERS =
  /\b(?:system|popen\d?|exec[lv]\w*|exec|execSync|execFile(?:Sync)?|spawn\w*|subprocess|child_process|check_(?:call|output)|getoutput|getstatusoutput|shell_exec|passthru|proc_open|do shell script|os\.execute|io\.popen|os:cmd|System\.cmd|System\.shell|call-process|shell-command|start-process|start-process-shell-command|system\*?|process\*|callCommand|readProcess|callProcess|Sys\.command|Runtime\.getRuntime|ProcessBuilder|stringToProcess|run-program|qx|syscmd|Command|open3|jobstart|termopen)\b|\.execute\s*\(|\bsh\s+"|\.!|`[^`]+`/;
/** Words by which other languages remove whole folders or many files. */
const REMOVES =
  /\b(?:delete-directory|delete-tree|delete-file|file\s+delete|rm_rf!?|rm-rf|deleteDir|deleteRecursively|delete-directory\/files|delete-directory-tree|removeDirectoryRecursive|removePathForcibly|removeItem|FileUtils\.(?:rm|remove)\w*|rm_r|unlink|file\.remove|rmdir|delete\s+(?:folder|every|file)|remove_all|rmtree|removeSync|Deno\.remove|os\.remove|vim\.fn\.delete|call\s+delete|recursive[_-]?delete|nio\.file\.Files\.delete)\b|\brm\(|\bdelete\(\s*['"]/i;
/** Reads what another program has packed as a text, and runs it. */
const DECODES =
  /b64decode|base64|fromhex|unhexlify|atob|fromCharCode|Buffer\.from|decompress|unpack\b|rot_?13|codecs\.decode|urlopen|requests\.get|\bfetch\(|marshal\.loads|pack\(/;
const EVALUATES =
  /(?<![\w.])(?:exec|eval|compile|new\s+Function|Function|instance_eval|class_eval|runInThisContext|runInNewContext|runpy)\s*\(/;
/** Objects whose members run or remove, asked for by a name that is put together. */
const COMPUTED =
  /\bgetattr\(\s*(?:os|shutil|subprocess|__import__\([^()]*\)|importlib|builtins|__builtins__|sys\.modules)\b[^()]*,\s*(?!['"]\w+['"])|\b(?:fs|cp|child_process|shutil|os|subprocess|Kernel|FileUtils|File)\s*\[\s*(?!['"`]\w+['"`]\s*\])[^\]\d]|require\(\s*['"](?:node:)?(?:fs|child_process|fs\/promises)['"]\s*\)\s*\[\s*(?!['"`]\w+['"`]\s*\])|\bimport_module\(\s*(?:['"]\w*['"]\s*\+|\w+\s*\))|\b__import__\(\s*(?!['"]\w+['"]\s*\))|(?:globals|locals|vars)\(\)\s*\[|\b__builtins__\b.*\[|\$\{?\w+\}?\s*\(\s*["'].*\b(?:rm|del|rd)\b/;
const PLAIN_MODULE = /\bos\s*\[\s*['"]environ|\bos\.environ\s*\[/;

/** Lists files. */
const MANY =
  /\b(?:i?glob|rglob|listdir|scandir|walk|readdirSync|readdir|globSync|iterdir|list\.files|opendir)\b|\bDir\[|<[\w/]*\*[\w.*/]*>/;
const EMPTIES =
  /\b(?:os\.truncate|truncateSync|ftruncate|File\.truncate|truncate)\s*\(|\bopen\(\s*(?:\w+|[\w.]*join\([^()]*\w\s*\)|["'][^"']*["']\s*\+\s*\w+)\s*,\s*(?:mode\s*=\s*)?["']w|\b(?:writeFileSync|file_put_contents|File\.write)\s*\(\s*(?:[^,()]|\([^()]*\))*,\s*(?:""|''|``)|\.write_(?:text|bytes)\(\s*b?(?:""|'')/;
const READS = /\.read(?!dir)\w*\(|readFileSync|read_text|file_get_contents|\bload\(/;
const UNLINKS = /\b(?:unlink\w*|os\.remove|os\.rmdir|File\.delete|file\.remove|rmSync|rmdirSync|rm)\b/;

/** `(perl|ruby) -ne 'system $_'`: what is read is run. */
const RUNS_INPUT =
  /\b(?:system|exec|popen|eval)(?:\s*\()?\s*(?:\$_|\$0|\$ARGV|<STDIN>|\$line|\$F\b|sys\.stdin|STDIN|gets\b|ARGF|line\b)|[`]\s*\$(?:_|\d|\{?\w+\}?)\s*[`]|\(\s*(?:sys\.stdin|STDIN)\.read|\beval\s*;|\bunlink\s*(?:;|\}|$|for\b|\$_)/m;

type Intent = { readonly kind: "removes" } | { readonly kind: "hides" } | { readonly kind: "none" };

/** Also for a language whose calls are known: `removingCall` reads these better and is asked first. */
export function codeIntent(code: string): Intent {
  if (MANY.test(code) && EMPTIES.test(code) && (!READS.test(code) || /truncate/i.test(code)))
    return { kind: "removes" };
  if (
    MANY.test(code) &&
    UNLINKS.test(code) &&
    /\bunlink\b|array_map|map\b|for/.test(code) &&
    !onlyLeftovers(code)
  )
    return { kind: "removes" };
  if (RUNS_INPUT.test(code)) return { kind: "hides" };
  if (EVALUATES.test(code) && DECODES.test(code)) return { kind: "hides" };
  return COMPUTED.test(code) && !PLAIN_MODULE.test(code) ? { kind: "hides" } : { kind: "none" };
}

function onlyLeftovers(code: string): boolean {
  const { literals } = codeParts(code, "python");
  const paths = literals.map(({ text }) => text).filter((text) => /[*/.]/.test(text));
  return paths.length > 0 && paths.every((text) => isDisposable(text));
}

/** For a language of which nothing is known but its words. */
export function foreignRemoves(code: string): boolean {
  if (!REMOVES.test(code)) return false;
  const texts = [...code.matchAll(/(['"])([^'"\n]{1,200})\1/g)]
    .map((found) => found[2] ?? "")
    .filter((text) => !/^rf?$/.test(text));
  const words = /file\s+delete\s+(?:-force\s+)?([\w./-]+)/.exec(code)?.[1];
  const paths = words === undefined ? texts : [words];
  return paths.length === 0 || !paths.every((text) => isDisposable(text, { taken: "deep" }));
}

/** Texts in quotes that may be given to a shell, where the code starts programs. */
export function textsForShell(code: string): readonly string[] {
  if (!RUNNERS.test(code)) return [];
  const texts = [...code.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map((found) =>
    (found[2] ?? "").replace(/\\(["'])/g, "$1"),
  );
  const own = [...code.matchAll(/`([^`'\n]+)'/g)].map((found) => found[1] ?? "");
  const inner = [...texts, ...own].filter((text) => /\s/.test(text));
  // `"rm" "-rf" "src"`, one word after the other.
  const words = texts.filter((text) => text !== "" && !/\s/.test(text));
  return [...inner, ...(words.length > 1 ? [words.join(" ")] : [])].slice(0, 40);
}
