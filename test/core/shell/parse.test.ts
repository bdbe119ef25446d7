import { describe, expect, test } from "vitest";
import type { Shell } from "../../../src/core/call";
import { parseShell } from "../../../src/core/shell/parse";
import { effectiveArgv } from "../../../src/core/shell/wrappers";

const argvs = (text: string, shell: Shell = "bash") =>
  parseShell(text, shell).commands.map((command) => command.argv.map((word) => word ?? "<?>").join(" | "));

describe("bash text becomes flat commands with the words a program gets", () => {
  const rows: [string, string, string[]][] = [
    ["list", "a 1; b 2 && c 3 || d &", ["a | 1", "b | 2", "c | 3", "d"]],
    ["pipeline", "a | b |& c", ["a", "b", "c"]],
    ["subshell and group", "(a; b) { c; }", ["a", "b"]],
    ["quotes", `p 'a b' "c\\"d" e\\ f $'\\x44ROP'`, ['p | a b | c"d | e f | DROP']],
    ["joined quoting", `sq'lite'"3" db`, ["sqlite3 | db"]],
    ["substitution", "a $(b `c`)", ["a | <?>", "b | <?>", "c"]],
    ["process substitution", "a <(b x)", ["a | <?>", "b | x"]],
    ["default value", `a \${x:-$(b)}`, ["a | <?>", "b"]],
    ["inside double quotes", `a "x $(b)"`, ["a | <?>", "b"]],
    ["brace expansion", `{psql,-c,"DROP TABLE x"}`, ["psql | -c | DROP TABLE x"]],
    ["brace in a word", "rm a{1,2}.txt", ["rm | a1.txt | a2.txt"]],
    ["sequence is not static", "rm a{1..3}", ["rm | <?>"]],
    ["function body", "f() { a; }; f", ["a", "f"]],
    [
      "if, for, case, while",
      "if a; then b; fi; for i in 1; do c; done; case x in x) d;; esac; while e; do f; done",
      ["a", "b", "c", "d", "e", "f"],
    ],
    ["test and arithmetic", "[[ -n $(a) ]]; ((x=$(b)))", ["a", "b"]],
    ["sh -c", `sh -c 'a "b c"'`, [`sh | -c | a "b c"`, "a | b c"]],
    ["bash -lc", "bash -lc 'a; b'", ["bash | -lc | a; b", "a", "b"]],
    ["options after -c", "bash -c -e 'a'", ["bash | -c | -e | a", "a"]],
    ["bash -o", "bash -o pipefail -c a", ["bash | -o | pipefail | -c | a", "a"]],
    ["eval joins", `eval a "'b c'"`, ["eval | a | 'b c'", "a | b c"]],
    ["sudo sh -c", "sudo -u root sh -c a", ["sudo | -u | root | sh | -c | a", "a"]],
    ["ssh", "ssh -p 22 host 'a b'", ["ssh | -p | 22 | host | a b", "a | b"]],
    ["find -exec", "find . -exec rm -rf {} \\;", ["find | . | -exec | rm | -rf | {} | ;", "rm | -rf | <?>"]],
    ["a pipe into sh", "echo 'rm -rf /' | sh", ["echo | rm -rf /", "sh", "rm | -rf | /"]],
    ["a heredoc into bash", "bash <<'E'\na b\nE", ["bash", "a | b"]],
    ["a here-string into sh", "sh <<< 'a b'", ["sh", "a | b"]],
    ["powershell inside", `pwsh -Command "a 'b c'"`, ["pwsh | -Command | a 'b c'", "a | b c"]],
    ["env and assignment", "A=1 b c=2", ["b | c=2"]],
  ];
  test.each(rows)("%s", (_, text, expected) => expect(argvs(text)).toEqual(expected));

  test("heredocs, here-strings, pipes", () => {
    const [heredoc] = parseShell("psql db <<EOF\nDR\\\nOP \\$x\nEOF\n", "bash").commands;
    expect(heredoc?.heredoc).toBe("DROP $x\n");
    expect(heredoc?.redirects).toEqual([{ op: "<<", target: "DROP $x\n" }]);
    const [tabs] = parseShell("psql <<-'E'\n\tA $x\n\tE\n", "bash").commands;
    expect(tabs?.heredoc).toBe("A $x\n");
    const [dynamic] = parseShell("psql <<E\nA $x\nE\n", "bash").commands;
    expect(dynamic?.redirects[0]?.target).toBeNull();
    const [, piped] = parseShell("echo x | (psql)", "bash").commands;
    expect(piped?.pipedFrom?.argv).toEqual(["echo", "x"]);
    const [inherited] = parseShell("{ psql; } <<< 'DROP'", "bash").commands;
    expect(inherited?.heredoc).toBe("DROP");
  });

  test("what is broken says so and still gives what stands complete", () => {
    const broken = parseShell("rm -rf / ; echo 'abc", "bash");
    expect(broken.ok).toBe(false);
    expect(broken.commands[0]?.argv).toEqual(["rm", "-rf", "/"]);
  });

  test("raw is the source of the command", () => {
    expect(parseShell("a; b  'c' ", "bash").commands[1]?.raw).toBe("b  'c'");
  });
});

describe("wrappers are taken off", () => {
  const rows: [string, string][] = [
    ["sudo -u postgres psql -c x", "psql -c x"],
    ["env A=1 -i B=2 psql", "psql"],
    ["nohup nice -n 5 timeout -s KILL 10 psql", "psql"],
    ["docker exec -it -u root pg psql -c x", "psql -c x"],
    ["docker compose exec -T db psql", "psql"],
    ["kubectl -n x exec pod -c main -- psql -c x", "psql -c x"],
    ["ssh -i key user@host psql -c x", "psql -c x"],
    ["xargs psql -c", "psql -c <?>"],
    ["xargs -I {} psql -c {}", "psql -c <?>"],
    ["xargs -0 -n1 rm -rf", "rm -rf <?>"],
    ["command -v psql", "command -v psql"],
    ["command psql x", "psql x"],
    ["sudo", "sudo"],
    ["time -p ls", "ls"],
    ["/usr/bin/env psql", "psql"],
  ];
  test.each(rows)("%s", (text, expected) => {
    const [command] = parseShell(text, "bash").commands;
    expect(
      command &&
        effectiveArgv(command)
          .map((word) => word ?? "<?>")
          .join(" "),
    ).toBe(expected);
  });
});

describe("PowerShell and cmd", () => {
  const rows: [Shell, string, string[]][] = [
    ["pwsh", "Remove-Item -Recurse 'a b'; ls", ["Remove-Item | -Recurse | a b", "ls"]],
    ["pwsh", `sqlite3 db "DROP TABLE x"`, ["sqlite3 | db | DROP TABLE x"]],
    ["pwsh", `"DROP TABLE x" | sqlite3 db`, ["echo | DROP TABLE x", "sqlite3 | db"]],
    ["pwsh", `sqlite3 db "DROP $t"`, ["sqlite3 | db | <?>"]],
    ["pwsh", "if ($a) { rm b }", ["if", "<?>", "rm | b"]],
    ["pwsh", "r`m x # comment ; y", ["rm | x"]],
    ["powershell", "& 'C:\\p\\psql.exe' -c 'it''s'", ["C:\\p\\psql.exe | -c | it's"]],
    ["cmd", `sqlite3 db "DROP TABLE x" & del /s b`, ["sqlite3 | db | DROP TABLE x", "del | /s | b"]],
    ["cmd", "d^el %X%", ["del | <?>"]],
    ["bash", `cmd.exe /c "del /s x"`, ["cmd.exe | /c | del /s x", "del | /s | x"]],
  ];
  test.each(rows)("%s: %s", (shell, text, expected) => expect(argvs(text, shell)).toEqual(expected));
});

/** Milliseconds of processor time: other programs of the machine do not count. */
function cpu(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe("bounds", () => {
  const shapes: [string, (size: number) => string][] = [
    ["(", (n) => "(".repeat(n)],
    ["$(", (n) => "$(".repeat(n)],
    ["<(", (n) => "<(".repeat(n)],
    ["`", (n) => "`".repeat(n)],
    ['"$(', (n) => '"$('.repeat(n)],
    ["<<A ", (n) => "<<A ".repeat(n)],
    ["f() ", (n) => "f() ".repeat(n)],
    ["{a,", (n) => "{a,".repeat(n)],
    ["a=(", (n) => "a=(".repeat(n)],
    ["sh -c '", (n) => "sh -c '".repeat(n)],
    ["eval ", (n) => "eval ".repeat(n)],
    ["a|", (n) => "a|".repeat(n)],
    ["sudo ", (n) => "sudo ".repeat(n)],
    ["{a,b}", (n) => "{a,b}".repeat(n)],
    ["((1+", (n) => `((${"1+".repeat(n)}1))`],
  ];
  test.each(shapes)("64 KiB of %s ends quickly", (unit, make) => {
    const text = make(Math.floor(65_000 / unit.length));
    expect(cpu(() => parseShell(text, "bash"))).toBeLessThan(1_500);
  });

  test("longer text is refused", () => {
    expect(parseShell("a".repeat(65_537), "bash").ok).toBe(false);
  });

  test("windows text of 64 KiB ends quickly", () => {
    for (const unit of ['"', "'", "`", "^", "(", "a ", '@"\n', "<#"]) {
      const text = unit.repeat(65_000 / unit.length);
      expect(cpu(() => parseShell(text, "pwsh"))).toBeLessThan(1_500);
      expect(cpu(() => parseShell(text, "cmd"))).toBeLessThan(1_500);
    }
  });
});
