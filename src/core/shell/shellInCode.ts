/** Finds the commands that program text runs (`os.system`, `execSync`, `subprocess.run([..])`), as shell texts. Judges nothing. */
import type { CodeLiteral } from "./codeLiterals";
import { quote } from "./nestedText";

const RUNS =
  /(?:^|[.>:!])(?:system|popen\d?|exec[vl]\w*|spawn\w*|exec|execSync|execFile(?:Sync)?|check_call|check_output|call|run|Popen|getoutput|getstatusoutput|shell_exec|passthru|proc_open|capture\w*|open3|create_subprocess_\w+|sh|execa\w*|command|cmd|Command)$/;
const RUNS_BARE = /(?:^|[\s;{(&|])(?:system|exec|spawn|sh)\s+$/;
/** Between back-ticks a shell text stands in Ruby and Perl, and behind `$` in JavaScript. */
const SHELL_QUOTE = /^(?:`|qx|%x)/;

const MAX_TEXTS = 50;
const MAX_WORDS = 64;

export function shellInCode(literals: readonly CodeLiteral[]): readonly string[] {
  const out: string[] = [];
  const words = new Map<number, string[]>();
  for (const { opener, text, before, calls } of literals) {
    if (out.length >= MAX_TEXTS) break;
    const call = calls.at(-1);
    if (SHELL_QUOTE.test(opener) || RUNS_BARE.test(before)) out.push(text);
    else if (call !== undefined && RUNS.test(call.name)) {
      if (/\s/.test(text)) out.push(text);
      const known = words.get(call.at) ?? [];
      if (known.length < MAX_WORDS) known.push(text);
      words.set(call.at, known);
    }
  }
  // `['psql', '-c', '..']`
  for (const list of [...words.values()].slice(0, MAX_TEXTS))
    if (!/\s/.test(list[0] ?? "")) out.push(list.map(quote).join(" "));
  return out;
}
