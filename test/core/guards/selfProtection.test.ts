/** What self_protection says: each protected place by every spelling of a change, and the everyday calls beside it. */
import { describe, expect, test } from "vitest";
import { PROTECTED_PLACES } from "../../../src/core/paths/protectedPlaces";
import { ask, callOn, DARWIN, LINUX, protectionOn, WIN, type World } from "./worlds";

async function kindOf(
  world: World,
  tool: string,
  args: Record<string, unknown>,
  extra = {},
): Promise<string> {
  return (await ask(protectionOn(world), callOn(world, tool, args, extra))).kind;
}

const shell = (command: string, world = LINUX, extra = {}) =>
  kindOf(world, "run_in_terminal", { command }, extra);

/** A file that the row protects, on Linux. */
function sample(at: string): string {
  return at
    .replace(/^\*\*\//, "")
    .replace(/\/\*\*$/, "/some/file")
    .replaceAll("*", "x");
}

const LINUX_PLACES = PROTECTED_PLACES.filter(({ at }) => !/AppData|Library\/|Documents\/|^%/.test(at)).map(
  ({ at }) => [at, sample(at)] as const,
);

describe.each(LINUX_PLACES)("%s", (_at, file) => {
  const quoted = `'${file.replace(/^~\//, "")}'`;
  const word = file.startsWith("~/") ? `~/${quoted}` : quoted;
  const base = file.split("/").at(-1) ?? "";

  test("every spelling of a change asks", async () => {
    const changes = {
      create: await kindOf(LINUX, "create_file", { filePath: file, content: "" }),
      replace: await kindOf(LINUX, "replace_string_in_file", {
        filePath: file,
        oldString: "a",
        newString: "b",
      }),
      patch: await kindOf(LINUX, "apply_patch", {
        input: `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`,
      }),
      claude: await kindOf(LINUX, "Edit", { file_path: file, old_string: "a", new_string: "b" }),
      mcp: await kindOf(LINUX, "mcp_fs_write_file", { path: file, content: "" }),
      mcpMove: await kindOf(LINUX, "mcp_fs_move_file", { source: "x", destination: file }),
      redirect: await shell(`echo x > ${word}`),
      append: await shell(`cat x >> ${word}`),
      tee: await shell(`echo x | tee ${word}`),
      copy: await shell(`cp evil ${word}`),
      rename: await shell(`mv evil ${word}`),
      away: await shell(`mv ${word} /tmp/x`),
      remove: await shell(`rm -f ${word}`),
      link: await shell(`ln -sf /tmp/evil ${word}`),
      inPlace: await shell(`sed -i s/true/false/ ${word}`),
      perl: await shell(`perl -pi -e s/true/false/ ${word}`),
      mode: await shell(`chmod 000 ${word}`),
      truncate: await shell(`truncate -s 0 ${word}`),
      dd: await shell(`dd if=/tmp/x of=${word.replaceAll("'", "")}`.replace(/of=(.* .*)$/, "of='$1'")),
      download: await shell(`curl -sL https://example.com/x -o ${word}`),
      archive: await shell(`tar xf /tmp/x.tar ${word}`),
      checkout: await shell(`git checkout HEAD~1 -- ${word}`),
      restore: await shell(`git restore ${word}`),
      nested: await shell(`bash -c "echo x > ${word.replaceAll("'", '\\"').replace(/^~\//, "~/")}"`),
      unknown: await shell(`some-unknown-tool ${word}`),
    };
    expect(changes).toEqual(Object.fromEntries(Object.keys(changes).map((key) => [key, "ask"])));
  });

  test("every ancestor moved, removed, linked or filled asks", async () => {
    // The last one is a folder that many other things share.
    const shared =
      /^(~|~\/(Library|AppData|Documents|\.config|\.local|\.local\/share|bin)|\/etc|\/var|\/lib|\/usr|\/usr\/\w+)$/;
    const ancestors: string[] = [];
    for (
      let at = file.replace(/\/[^/]+$/, "");
      at !== "" && at !== file && at.length > 1;
      at = at.replace(/\/?[^/]+$/, "")
    ) {
      if (ancestors.includes(at) || at === "~") break;
      ancestors.push(at);
    }
    for (const folder of ancestors) {
      const named = folder.startsWith("~/") ? `~/'${folder.slice(2)}'` : `'${folder}'`;
      const changes = {
        away: await shell(`mv ${named} /tmp/x`),
        remove: await shell(`rm -rf ${named}`),
        link: await shell(`ln -s ${named} alias`),
        replaced: await shell(`ln -sfn /tmp/evil ${named}`),
        mount: await shell(`mount --bind /tmp/evil ${named}`),
        mcp: await kindOf(LINUX, "mcp_fs_move_file", { source: folder, destination: "x" }),
        ...(shared.test(folder) || !folder.split("/").at(-1)?.startsWith(".")
          ? {}
          : {
              archive: await shell(`tar xf x.tar -C ${named}`),
              copied: await shell(`cp -r evil/. ${named}`),
              git: await shell(`git checkout HEAD~1 -- ${named}`),
            }),
      };
      expect([folder, changes]).toEqual([
        folder,
        Object.fromEntries(Object.keys(changes).map((key) => [key, "ask"])),
      ]);
    }
  });

  test("a second name for it asks", async () => {
    const names = {
      soft: await shell(`ln -s ${word} alias`),
      hard: await shell(`ln ${word} alias`),
      copiedLink: await shell(`cp -l ${word} alias`),
    };
    expect(names).toEqual({ soft: "ask", hard: "ask", copiedLink: "ask" });
  });

  test("reading it, and files of a similar name, pass", async () => {
    const reads = {
      read: await kindOf(LINUX, "read_file", { filePath: file }),
      mcp: await kindOf(LINUX, "mcp_fs_read_file", { path: file }),
      cat: await shell(`cat ${word}`),
      grep: await shell(`grep -n x ${word} | head`),
      copyOut: await shell(`cp ${word} /tmp/copy-of-it`),
      diff: await shell(`git diff -- ${word}`),
      add: await shell(`git add ${word}`),
      list: await shell(`ls -l ${word}`),
      mention: await shell(`echo ${word}`),
      message: await shell(`git commit -m "change ${base.replaceAll("'", "")}"`),
      similar: await kindOf(LINUX, "create_file", {
        filePath: `src/docs/my-notes-on-${base}.txt`,
        content: "",
      }),
    };
    const expected = Object.fromEntries(Object.keys(reads).map((key) => [key, "allow"]));
    // A copy of a hook's folder name stays one when the place is the whole folder.
    expect(reads).toEqual(expected);
  });
});

describe("a parent moved, removed, linked or filled takes the place along", () => {
  test.each([
    "rm -rf .vscode",
    "rm -rf .git",
    "mv .git .git-old",
    "rm -r .github",
    "mv .claude x",
    "rm -rf ~/.claude",
    "rm -rf ~/.countersign",
    "rm -rf ~",
    "rm -rf .",
    "rm -rf /data/a",
    "mv /data/a /data/z",
    "mv /data /x",
    "rm -rf /",
    "ln -s ~/.claude c",
    "ln -s .git g",
    "cp -r evil/. .vscode",
    "cp -a evil/. .git/",
    "rsync -a evil/ .claude/",
    "tar xf x.tar -C .vscode",
    "unzip -o x.zip -d .claude",
    "unzip -o x.zip .vscode/settings.json",
    "git checkout main -- .vscode",
    "git restore --source=HEAD~3 .github",
    "cd .git && rm -rf hooks",
    "cd .vscode && echo {} > settings.json",
    "(cd ~/.claude && rm settings.json)",
    "rm gateway-*.toml .countersign/x",
    "rm -rf $PWD/.git",
    "cp evil .git/hooks/",
    "cp settings.json .vscode",
    "cp -t .vscode settings.json",
    "find .git -delete",
    "find ~/.claude -name 'settings*' -delete",
    "echo x > rc",
    "echo x > vs/settings.json",
    "tee vs/../.vscode/tasks.json < x",
    "mount /dev/sda ~/.claude",
    "rm -rf .claude/*",
    "rm -rf .vscode/*",
    "rm .git/hooks/*",
    "find .git/hooks -exec chmod -x {} +",
    "find .vscode -name '*.json' -exec sed -i s/a/b/ {} +",
  ])("%s", async (command) => {
    expect(await shell(command)).toBe("ask");
  });

  test.each([
    ["delete_file", { filePath: ".vscode" }],
    ["mcp_fs_delete_directory", { path: ".git" }],
    ["mcp_fs_move_file", { source: ".claude", destination: "x" }],
    ["rename_file", { oldPath: ".github", newPath: "x" }],
  ])("%s %j", async (tool, args) => {
    expect(await kindOf(LINUX, tool, args)).toBe("ask");
  });
});

describe("everyday calls beside the protected places pass", () => {
  test.each([
    "mkdir -p .vscode",
    "mkdir -p .github/workflows && cp ci.yml .github/workflows/",
    "echo x > .github/workflows/ci.yml",
    "ls -la .git/hooks",
    "cat .vscode/settings.json | jq .",
    "jq '.hooks' .claude/settings.json",
    "git status && git add -A && git commit -m 'edit .vscode/settings.json'",
    "git checkout main",
    "git checkout -b fix/settings",
    "git config user.email a@example.com",
    "git config --get core.hooksPath",
    "git config --list",
    "rm -rf node_modules dist",
    "rm -rf *",
    "rm -f *.log",
    "rm -rf build/*",
    "mv src/a.ts src/b.ts",
    "cp -r template/. .",
    "cp -r src /tmp/x",
    "tar xzf x.tgz",
    "tar xzf x.tgz -C build",
    "unzip x.zip",
    "unzip -l x.zip",
    "npm test",
    "npx prettier --check .vscode/settings.json",
    "code .vscode/settings.json",
    "code --list-extensions",
    "bash .git/hooks/pre-commit",
    "sh .husky/pre-commit",
    "source ~/.bashrc && npm test",
    ". ~/.profile",
    "python3 -c \"import json; print(json.load(open('.vscode/settings.json')))\"",
    "node -p \"require('./.claude/settings.json').hooks\"",
    "sqlite3 .countersign/data.db 'select 1'",
    "countersign verify .countersign/audit.jsonl",
    "countersign judge --config gateway-hooks.toml < calls.jsonl",
    "npx countersign explain",
    "node dist/cli.js verify .countersign/audit.jsonl --json",
    "countersign --version",
    "countersign agents list",
    "countersign card list --json",
    "countersign card source doctor @a/b",
    "countersign doctor",
    "npm install countersign",
    "echo 'countersign card trust x' > notes.md",
    "grep -rn 'gateway-hooks.toml' docs",
    "find . -name settings.json",
    "diff .vscode/settings.json /tmp/x",
    "wc -l gateway-hooks.toml",
    "test -f gateway-hooks.toml && echo yes",
    "cd .github/workflows && sed -i s/a/b/ ci.yml",
    "rm -rf .cache .pytest_cache",
    "ln -s ../src docs/src",
    "sed -n 1,5p ~/.bashrc",
    "rm -f *.toml",
    "find . -type d -name __pycache__ -exec rm -rf {} +",
    "find . -name '*.js' -exec sed -i s/a/b/ {} +",
    "find . -name '*.log' -delete",
    "find .git -name '*.pack' | wc -l",
    "vim src/settings.json",
    "echo x > settings.json",
    "echo x > hooks/pre-commit",
  ])("%s", async (command) => {
    expect(await shell(command)).toBe("allow");
  });

  test.each([
    ["create_directory", { dirPath: ".vscode" }],
    ["create_file", { filePath: "src/settings.json", content: ".vscode/settings.json" }],
    ["create_file", { filePath: ".vscode/extensions.json", content: "" }],
    ["create_file", { filePath: ".github/workflows/ci.yml", content: "" }],
    ["create_file", { filePath: ".claude/agents/x.md", content: "" }],
    ["create_file", { filePath: "src/git/config", content: "" }],
    ["db_query_sql", { sql: "select 1" }],
    ["run_vscode_command", { commandId: "editor.action.formatDocument" }],
    ["run_vscode_command", { commandId: "workbench.view.explorer", args: [] }],
    ["runSubagent", { prompt: "edit .vscode/settings.json", description: "x" }],
    ["memory", { command: "create", path: "/memories/x.md" }],
  ])("%s %j", async (tool, args) => {
    expect(await kindOf(LINUX, tool, args)).toBe("allow");
  });
});

describe("ways around the hooks ask", () => {
  test.each([
    ["run_vscode_command", { commandId: "workbench.action.openSettingsJson" }],
    ["run_vscode_command", { commandId: "countersign.showEffectiveConfig" }],
    ["run_vscode_command", { commandId: "workbench.extensions.action.disableAll" }],
    ["run_vscode_command", { commandId: "vscode.open", args: ["command:countersign.pause"] }],
    ["run_vscode_command", { commandId: 7 }],
    ["run_vscode_command", {}],
    ["install_extension", { id: "x.y", name: "y" }],
    ["create_and_run_task", { task: { label: "x", type: "shell", command: "echo" } }],
  ])("%s %j", async (tool, args) => {
    expect(await kindOf(LINUX, tool, args)).toBe("ask");
  });

  test.each([
    "countersign card trust @a/b",
    "countersign card install @a/b",
    "countersign card untrust @a/b --hooks",
    "countersign card source add-hook @a/b doctor",
    "countersign write --strict",
    "countersign agents install claude",
    "countersign agents uninstall --all",
    "countersign judge --trust-config sha256:abc",
    "countersign --trust-config=sha256:abc explain",
    "countersign --config x unlock",
    "npx countersign agents uninstall",
    "npx -y countersign@latest card trust x",
    "npm exec countersign agents uninstall",
    "node node_modules/countersign/dist/cli.js card trust x",
    "node dist/cli.js agents uninstall",
    "./node_modules/.bin/countersign card trust x",
    "bash -c 'countersign card trust x'",
    "sudo countersign agents uninstall",
    "env A=b countersign card trust x",
    "timeout 5 countersign card trust x",
    "echo x | xargs countersign card trust",
    "cd /tmp && countersign card trust x",
    "code --install-extension x.y",
    "code --uninstall-extension countersign.countersign",
    "code-server --uninstall-extension countersign.countersign",
    "code --disable-extension countersign.countersign",
    "git config core.hooksPath /tmp/evil",
    "git config --global core.fsmonitor /tmp/evil",
    "git config --local alias.st '!sh /tmp/evil'",
    "git config set core.sshCommand /tmp/evil",
    "git config --unset core.hooksPath",
    "git config -e",
    "git -C sub config core.hooksPath /tmp",
    "python3 -c \"open('gateway-hooks.toml','w').write('')\"",
    "python3 - <<'E'\nopen('.vscode/settings.json', 'w').write('{}')\nE",
    "python3 -c \"import os; os.remove('.git/hooks/pre-commit')\"",
    "node -e \"require('fs').writeFileSync('.claude/settings.json','{}')\"",
    "ruby -e \"File.write('gateway-hooks.toml','')\"",
    "perl -e 'unlink \".countersign/audit.jsonl\"'",
    "jq . x | sponge .vscode/settings.json",
    "apply_patch '*** Begin Patch\n*** Delete File: gateway-hooks.toml\n*** End Patch'",
  ])("%s", async (command) => {
    expect(await shell(command)).toBe("ask");
  });

  test("the folder a command starts in counts", async () => {
    expect(await kindOf(LINUX, "shell", { command: ["rm", "hooks/pre-commit"], workdir: ".git" })).toBe(
      "ask",
    );
    expect(
      await kindOf(LINUX, "run_shell_command", { command: "rm pre-commit", directory: ".git/hooks" }),
    ).toBe("ask");
    expect(await kindOf(LINUX, "shell", { command: ["rm", "hooks/pre-commit"], workdir: "src" })).toBe(
      "allow",
    );
  });

  test("a command that cannot be read through asks", async () => {
    expect(await shell(`${"true;".repeat(3000)} echo x > gateway-hooks.toml`)).toBe("ask");
  });

  test("text sent into a terminal is judged as a command", async () => {
    expect(await kindOf(LINUX, "send_to_terminal", { command: "echo x > gateway-hooks.toml" })).toBe("ask");
    expect(await kindOf(LINUX, "Bash", { command: "echo x > gateway-hooks.toml" })).toBe("ask");
    expect(await kindOf(LINUX, "shell", { command: ["bash", "-lc", "echo x > gateway-hooks.toml"] })).toBe(
      "ask",
    );
  });
});

describe("macOS and Windows", () => {
  test.each<[World, string, string]>([
    [DARWIN, "GATEWAY-HOOKS.toml", "ask"],
    [DARWIN, ".VSCode/Settings.json", "ask"],
    [DARWIN, ".vſcode/settings.json", "ask"],
    [DARWIN, ".g\u200cit/config", "ask"],
    [DARWIN, "~/Library/Application Support/Code/User/settings.json", "ask"],
    [DARWIN, "~/Library/LaunchAgents/x.plist", "ask"],
    [DARWIN, "~/.zshrc", "ask"],
    [DARWIN, "settings.json", "allow"],
    [WIN, "gateway-hooks.TOML", "ask"],
    [WIN, ".vscode\\settings.json", "ask"],
    [WIN, ".vscode/settings.json.", "ask"],
    [WIN, ".vscode \\settings.json ", "ask"],
    [WIN, "C:\\Work\\Proj\\.git\\config", "ask"],
    [WIN, "\\\\?\\C:\\Work\\Proj\\.git\\config", "ask"],
    [WIN, "~\\AppData\\Roaming\\Code\\User\\settings.json", "ask"],
    [WIN, "C:\\Users\\u\\.claude\\settings.json", "ask"],
    [WIN, "src\\settings.json", "allow"],
  ])("%j", async (world, filePath, kind) => {
    expect(await kindOf(world, "create_file", { filePath, content: "" })).toBe(kind);
  });

  test.each([
    ["pwsh", "Set-Content .vscode\\settings.json '{}'", "ask"],
    ["pwsh", "Remove-Item -Recurse -Force .git", "ask"],
    ["pwsh", "Move-Item .claude x", "ask"],
    ["pwsh", "'{}' | Out-File -FilePath gateway-hooks.toml", "ask"],
    ["pwsh", "Add-Content $HOME\\Documents\\PowerShell\\Microsoft.PowerShell_profile.ps1 x", "ask"],
    ["pwsh", "Get-Content .vscode\\settings.json", "allow"],
    ["cmd", "copy evil .git\\hooks\\pre-commit", "ask"],
    ["cmd", "echo x > gateway-hooks.toml", "ask"],
    ["cmd", "rmdir /s /q %USERPROFILE%\\.claude", "ask"],
    ["cmd", "type gateway-hooks.toml", "allow"],
  ])("%s: %s", async (kind, command, expected) => {
    expect(await shell(command, WIN, { shell: kind })).toBe(expected);
  });
});

describe("what the person is told", () => {
  test("what, where it really points, why; and no wider grant", async () => {
    const decision = await ask(
      protectionOn(LINUX),
      callOn(LINUX, "create_file", { filePath: "rc", content: "" }),
    );
    expect(decision).toMatchObject({
      kind: "ask",
      prompt:
        "Change rc (really /home/u/.bashrc): a file that every new shell runs. What is written there runs later, without a question.",
      details: { path: "rc", real: "/home/u/.bashrc", class: "later" },
    });
    expect(decision).not.toHaveProperty("sessionScope");
  });

  test("a protected place that is a link is protected where the link stands", async () => {
    for (const [tool, args] of [
      ["create_file", { filePath: ".vscode/tasks.json", content: "" }],
      ["run_in_terminal", { command: "ln -sf /tmp/x .vscode/tasks.json" }],
      ["run_in_terminal", { command: "rm vs/tasks.json" }],
    ] as const)
      expect(await kindOf(LINUX, tool, args)).toBe("ask");
  });

  test("configured places are protected with all below, and their parents", async () => {
    const hook = protectionOn(LINUX, ["/data/logs/audit.jsonl", "policies"]);
    const kind = async (tool: string, args: Record<string, unknown>) =>
      (await ask(hook, callOn(LINUX, tool, args))).kind;
    expect(await kind("create_file", { filePath: "/data/logs/audit.jsonl", content: "" })).toBe("ask");
    expect(await kind("create_file", { filePath: "policies/x.ts", content: "" })).toBe("ask");
    expect(await kind("run_in_terminal", { command: "rm -rf /data/logs" })).toBe("ask");
    expect(await kind("run_in_terminal", { command: "cat policies/x.ts" })).toBe("allow");
    expect(await kind("create_file", { filePath: "policies2/x.ts", content: "" })).toBe("allow");
  });
});

const WINDOWS_PLACES = PROTECTED_PLACES.filter(({ at }) => /^%|AppData|PowerShell/.test(at)).map(
  ({ at }) =>
    [at, sample(at).replace(/^%/, "C:").replace(/^~/, "C:\\Users\\u").replaceAll("/", "\\")] as const,
);

test.each(WINDOWS_PLACES)("on Windows: %s", async (_at, file) => {
  const on = (command: string, name = "pwsh") => shell(command, WIN, { shell: name });
  const folder = file.replace(/\\[^\\]+$/, "");
  const changes = {
    create: await kindOf(WIN, "create_file", { filePath: file, content: "" }),
    otherCase: await kindOf(WIN, "create_file", { filePath: file.toUpperCase(), content: "" }),
    mcpMove: await kindOf(WIN, "mcp_fs_move_file", { source: "x", destination: file }),
    redirect: await on(`"x" > '${file}'`),
    set: await on(`Set-Content -Path '${file}' -Value x`),
    copy: await on(`Copy-Item evil '${file}'`),
    move: await on(`Move-Item '${file}' x`),
    remove: await on(`Remove-Item -Force '${file}'`),
    removeFolder: await on(`Remove-Item -Recurse -Force '${folder}'`),
    cmdCopy: await on(`copy /y evil "${file}"`, "cmd"),
    cmdDelete: await on(`del /f "${file}"`, "cmd"),
  };
  expect(changes).toEqual(Object.fromEntries(Object.keys(changes).map((key) => [key, "ask"])));
});
