/** Files written by a heredoc: the content is data however much it is, what a shell or a database reads from one is judged. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHooks, type Hooks } from "../../src/node/hooks";

const KB = 1024;
const folder = mkdtempSync(join(tmpdir(), "countersign-heredocs-"));
let hooks: Hooks;

beforeAll(async () => {
  writeFileSync(join(folder, "gateway-hooks.toml"), "");
  hooks = await createHooks({ roots: [folder], env: {} });
});
afterAll(async () => {
  await hooks.close();
  rmSync(folder, { recursive: true, force: true });
});

const filled = (line: string, kb: number): string => line.repeat(Math.ceil((kb * KB) / line.length));

async function kindOf(command: string): Promise<string> {
  const call = hooks.call("run_in_terminal", { command }, { cwd: folder, extra: { shell: "bash" } });
  const said = await hooks.governor.evaluate(call);
  expect(said.broken).toBe(false);
  return said.kind;
}

const PYTHON = 'def f(a, b):\n    print(f"{a} (x)", g(h(1)), "$(x)", 1 << 3)\n';
const SCRIPT = "export const a = (b: number) => `$" + "{b}` + f(g(1)); // $(x) <<A\n";
const SEED = "INSERT INTO t (a, b) VALUES (1, f('x'));\n";

describe("the content of a file is nobody's command", () => {
  test.each([
    ["python", `cat > app.py <<'EOF'\n${filled(PYTHON, 60)}EOF\n`],
    ["typescript", `cat > app.ts <<'EOF'\n${filled(SCRIPT, 100)}EOF\nnpx tsc --noEmit`],
    ["markdown", `cat <<'EOF' > README.md\n${filled("- [a](b) (c) `code $(x)` ((d))\n", 40)}EOF`],
    ["a seed file", `cat > seed.sql <<'SQL'\n${filled(SEED, 100)}SQL`],
    ["json", `cat > a.json << "EOF"\n${filled('  {"a": "(b)", "c": "$(d)"},\n', 80)}EOF`],
    ["yaml with variables", `tee a.yaml > /dev/null <<EOF\n${filled('  a: "(b) $HOME (c)"\n', 40)}EOF`],
    ["html", `cat > a.html <<\\EOF\n${filled('<a onclick="f(g(1))">(x) <<b</a>\n', 60)}EOF`],
    ["indented", `mkdir -p a && cat > a/x.py <<-'EOF'\n${filled("\tprint(f(g(1)), $(x))\n", 50)}\tEOF\n`],
    [
      "two files",
      `cat > a.py <<'A'\n${filled("f(g($(1)))\n", 20)}A\ncat > b.py <<'B'\n${filled("f(g($(1)))\n", 20)}B`,
    ],
    ["unquoted code", `cat > app.py <<EOF\n${filled('print(f(g(1)), "\\n")\n', 40)}EOF`],
    ["code on standard input", `python3 - <<'PY'\n${filled('print(f(g(1)), "\\n")\n', 40)}PY`],
    ["a commit message", `git commit -m "$(cat <<'EOF'\n${filled("- fix (a) [b](c) $(e)\n", 20)}EOF\n)"`],
  ])("%s", async (_, command) => {
    expect(await kindOf(command)).toBe("allow");
  });
});

describe("what hides behind a heredoc is judged all the same", () => {
  const code = filled(PYTHON, 60);
  test.each([
    ["behind it", `cat > app.py <<'EOF'\n${code}EOF\nrm .vscode/settings.json`],
    ["on its line", `cat > app.py <<'EOF'; rm .vscode/settings.json\n${code}EOF\n`],
    ["in its file", `cat > .vscode/settings.json <<'EOF'\n${filled(SCRIPT, 100)}EOF\n`],
    [
      "behind one that ends before",
      `cat <<'EOF'\nEOF\nrm .vscode/settings.json\n${filled(SCRIPT, 100)}EOF\n`,
    ],
    ["in quotes that begin none", `echo '<<"EOF"'\nrm .vscode/settings.json\n${filled(SCRIPT, 100)}EOF\n`],
    ["behind a comment", `# <<'EOF'\nrm .vscode/settings.json\n${filled(SCRIPT, 100)}EOF\n`],
    ["unquoted, run by the shell", `cat <<EOF\n$(rm .vscode/settings.json)\n${filled(SCRIPT, 100)}EOF\n`],
    ["the second of two", `cat <<'A' <<B\n${filled(SCRIPT, 70)}A\n$(rm .vscode/settings.json)\nB\n`],
    ["for a shell", `bash <<'EOF'\n${filled("echo (x) <<\n", 30)}rm .vscode/settings.json\nEOF\n`],
    ["for a shell, long", `bash <<'EOF'\n${filled("echo a\n", 100)}rm .vscode/settings.json\nEOF\n`],
    ["for a shell, piped", `cat <<'EOF' | sh\n${filled("echo $(a)\n", 5)}rm .vscode/settings.json\nEOF\n`],
    ["for a database", `psql <<'EOF'\n${filled(SEED, 30)}DELETE FROM t;\nEOF\n`],
    ["for a database, long", `psql <<'EOF'\n${filled(SEED, 100)}DELETE FROM t;\nEOF\n`],
    ["for a database, piped", `cat <<'EOF' | mysql app\n${filled(SEED, 100)}DELETE FROM t;\nEOF\n`],
  ])("%s", async (_, command) => {
    expect(await kindOf(command)).not.toBe("allow");
  });
});

/** Each start with each name is a product that is not tried to its end. */
describe("a search for more names than are tried is never allowed", () => {
  const starts = (count: number) => Array.from({ length: count }, (_, i) => `d${i}`).join(" ");
  const names = (count: number) => Array.from({ length: count }, (_, i) => `-o -name n${i}`).join(" ");
  test.each([
    "find . -name gateway-hooks.toml -delete",
    "find ~ -name id_rsa -exec cat {} +",
    `find ${starts(500)} -name gateway-hooks.toml -delete`,
    `find ${starts(500)} . -name gateway-hooks.toml -delete`,
    `find ${". ".repeat(500)} -name gateway-hooks.toml -delete`,
    `find ${"./ . ".repeat(300)} -name gateway-hooks.toml -delete`,
    `find . -name x ${names(500)} -o -name gateway-hooks.toml -delete`,
    `find ${". ".repeat(30)} ${"-name x -o ".repeat(30)} -name gateway-hooks.toml -delete`,
    `find ${starts(30)} . -name x ${names(30)} -o -name gateway-hooks.toml -delete`,
    `find ${starts(500)} ~ -name .ssh -exec cat {} +`,
    `find ${"~ ".repeat(500)} -name id_rsa -exec cat {} +`,
    `find ${starts(500)} /root -name notes.txt -delete`,
    `find ${"/opt ".repeat(500)} -name notes.txt -delete`,
  ])("%s", async (command) => {
    expect(await kindOf(command)).not.toBe("allow");
  });

  test.each([
    `find ${starts(100)} -name "*.pyc" -delete`,
    `find ${". ".repeat(500)} -name "*.pyc" -delete`,
    `find . -name x ${names(100)} -exec wc -l {} +`,
  ])("no such search: %s", async (command) => {
    expect(await kindOf(command)).toBe("allow");
  });
});
