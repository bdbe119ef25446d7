import { describe, expect, test } from "vitest";
import { readFacets } from "../../../src/agents/toolFacts";
import { unseenInput } from "../../../src/core/guards/unseenInput";
import type { HookContext } from "../../../src/core/hook";

const guard = unseenInput({ facets: readFacets });

async function verdict(command: string, extra: object = { unseenInput: true }): Promise<string> {
  const call = { toolName: "Bash", canonicalName: "Bash", extra };
  const answer = await guard.preToolUse?.({ call } as unknown as HookContext, "Bash", { command });
  return answer?.kind ?? "none";
}

describe("asked for", () => {
  test.each([
    "bash",
    "sh -i",
    "/bin/zsh -l",
    "sudo -i",
    "sudo bash",
    "env A=1 bash",
    "cd /tmp && bash",
    "python3",
    "python -i x.py",
    "node",
    "perl",
    "irb",
    "gdb ./app",
    "psql",
    "psql shop",
    "mysql -u root",
    "sqlite3 app.db",
    "redis-cli",
    "ssh host",
    "docker exec -it web bash",
    "kubectl exec -it pod -- sh",
    "tmux",
    "screen -S x",
    "su - ann",
    "pwsh",
  ])("%s", async (command) => {
    expect(await verdict(command)).toBe("ask");
  });
});

describe("let through", () => {
  test.each([
    "bash x.sh",
    "bash -c 'ls'",
    "bash -lc 'npm test'",
    "bash <<'E'\nls\nE",
    "echo ls | bash",
    "bash < script",
    "python3 x.py",
    "python3 -m http.server",
    "python3 -c 'print(1)'",
    "python3 - <<'E'\nprint(1)\nE",
    "node x.js",
    "node -e 0",
    "node --version",
    "perl -pe s/a/b/ file",
    "ruby -e 1",
    "psql -c 'select 1'",
    "psql -f x.sql shop",
    "mysql -e 'select 1'",
    "sqlite3 app.db 'select 1'",
    "redis-cli GET a",
    "ssh host ls",
    "docker exec web ls",
    "docker run --rm image",
    "tmux ls",
    "npm test",
    "git commit -m 'start bash'",
    "echo bash",
    "which python3",
    "bc -q < sums",
  ])("%s", async (command) => {
    expect(await verdict(command)).toBe("none");
  });

  test("where typing is seen", async () => {
    expect(await verdict("bash", {})).toBe("none");
  });
});
