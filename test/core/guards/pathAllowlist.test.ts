/** What path_allowlist says to paths of file tools, on imagined Linux, macOS and Windows machines. */
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../../src/ports";
import { allowlistOn, ask, callOn, DARWIN, LINUX, WIN, type World } from "./worlds";

type Kind = "allow" | "ask" | "deny";
/** The path, then what a read, a write and the document's strict tools get. */
type Row = readonly [path: string, read: Kind, write: Kind, strict: Kind];

const LINUX_ROWS: readonly Row[] = [
  // everyday
  ["/data/a", "allow", "allow", "allow"],
  ["/data/a/", "allow", "allow", "allow"],
  ["/data/a/src/main.ts", "allow", "allow", "allow"],
  ["src/main.ts", "allow", "allow", "allow"],
  ["./src/main.ts", "allow", "allow", "allow"],
  [".", "allow", "allow", "allow"],
  ["src/../docs/x.md", "allow", "allow", "allow"],
  ["/data/a/new/deep/file.txt", "allow", "allow", "allow"],
  ["inner/x.md", "allow", "allow", "allow"],
  ["inner/../src/main.ts", "allow", "allow", "allow"],
  ["a b/ü ñ/日本語.txt", "allow", "allow", "allow"],
  ["file:///data/a/src/main.ts", "allow", "allow", "allow"],
  ["file://localhost/data/a/src/main.ts", "allow", "allow", "allow"],
  ["file:///data/a/with%20space.txt", "allow", "allow", "allow"],
  ["dangling-in", "allow", "allow", "allow"],
  ["100%25.txt", "allow", "allow", "allow"],
  ["a:b", "allow", "allow", "allow"],
  ["con", "allow", "allow", "allow"],
  ["x.txt:stream", "allow", "allow", "allow"],
  ["~backup~1", "ask", "ask", "deny"],
  ["...", "allow", "allow", "allow"],
  ["..a", "allow", "allow", "allow"],
  ["//data//a///src", "allow", "allow", "allow"],
  ["weird/x", "allow", "allow", "allow"],
  ["url/x", "allow", "allow", "allow"],
  ["C:\\Windows\\x", "allow", "allow", "allow"],
  ["..\\..\\etc\\passwd", "allow", "allow", "allow"],
  // public places: reading passes, writing asks, the document's tools stay inside
  ["/usr/include/stdio.h", "allow", "ask", "deny"],
  ["/usr/lib/python3/os.py", "allow", "ask", "deny"],
  ["/lib/x.so", "allow", "ask", "deny"],
  ["/bin/ls", "allow", "ask", "deny"],
  ["/usr/share/man/man1/ls.1.gz", "allow", "ask", "deny"],
  ["/etc/os-release", "allow", "ask", "deny"],
  ["/etc/hosts", "allow", "ask", "deny"],
  ["/proc/cpuinfo", "allow", "ask", "deny"],
  ["/home/u/.cargo/registry/src/x/lib.rs", "allow", "ask", "deny"],
  ["~/.nvm/versions/node/v24/README.md", "allow", "ask", "deny"],
  ["/home/u/go/pkg/mod/x@v1/y.go", "allow", "ask", "deny"],
  ["~/.claude/projects/x/session.jsonl", "allow", "ask", "deny"],
  ["/tmp/build.log", "allow", "allow", "deny"],
  ["/var/tmp/x", "allow", "allow", "deny"],
  ["tmplink", "allow", "allow", "deny"],
  ["/dev/null", "allow", "allow", "deny"],
  // outside
  ["/etc/passwd", "ask", "ask", "deny"],
  ["/data/ab/x", "ask", "ask", "deny"],
  ["/data/A/x", "ask", "ask", "deny"],
  ["/data", "ask", "ask", "deny"],
  ["/", "ask", "ask", "deny"],
  ["..", "ask", "ask", "deny"],
  ["../ab/x", "ask", "ask", "deny"],
  ["../../etc/passwd", "ask", "ask", "deny"],
  ["/data/a/../ab/x", "ask", "ask", "deny"],
  ["/data/a/../../etc/passwd", "ask", "ask", "deny"],
  ["src/../../secret/x", "ask", "ask", "deny"],
  ["missing/../../secret/x", "ask", "ask", "deny"],
  ["src/main.ts/../../../secret", "ask", "ask", "deny"],
  ["./././../secret", "ask", "ask", "deny"],
  ["~/notes/x", "ask", "ask", "deny"],
  ["~", "ask", "ask", "deny"],
  ["/home/u/notes", "ask", "ask", "deny"],
  ["/root/x", "ask", "ask", "deny"],
  ["/opt/app/config.json", "ask", "ask", "deny"],
  ["/etc/nginx/nginx.conf", "ask", "ask", "deny"],
  ["/dev/sda", "ask", "ask", "deny"],
  ["/tmp/evil/x", "ask", "ask", "deny"],
  ["/tmp/../etc/passwd", "ask", "ask", "deny"],
  ["/usr/../etc/passwd", "ask", "ask", "deny"],
  ["/usr/local/../../home/u/notes", "ask", "ask", "deny"],
  ["file:///etc/passwd", "ask", "ask", "deny"],
  ["FILE:///etc/passwd", "ask", "ask", "deny"],
  ["file:/etc/passwd", "ask", "ask", "deny"],
  ["file:///data/a/%2e%2e/secret", "ask", "ask", "deny"],
  ["file:///data/a/../secret", "ask", "ask", "deny"],
  // links
  ["out", "ask", "ask", "deny"],
  ["out/x", "ask", "ask", "deny"],
  ["out/new/file", "ask", "ask", "deny"],
  ["up/ab", "ask", "ask", "deny"],
  ["up/a/src", "allow", "allow", "allow"],
  ["inner/../../secret", "ask", "ask", "deny"],
  ["out/../x", "ask", "ask", "deny"],
  ["out/../a/x", "allow", "allow", "allow"],
  ["chain1/passwd", "ask", "ask", "deny"],
  ["chain1", "ask", "ask", "deny"],
  ["dangling", "ask", "ask", "deny"],
  ["dangling/x", "ask", "ask", "deny"],
  ["passwd.csv", "ask", "ask", "deny"],
  ["deep/link/x", "ask", "ask", "deny"],
  ["deepin/../x", "allow", "allow", "allow"],
  ["deepin/../../x", "ask", "ask", "deny"],
  ["hop30/x", "allow", "allow", "allow"],
  ["hop10/x", "deny", "deny", "deny"],
  ["self", "deny", "deny", "deny"],
  ["ring1/x", "deny", "deny", "deny"],
  // percent signs that somebody may decode
  ["%2e%2e/%2e%2e/etc/passwd", "ask", "ask", "deny"],
  ["%2E%2E%2Fsecret", "ask", "ask", "deny"],
  ["src%2f..%2f..%2fsecret", "ask", "ask", "deny"],
  ["x%00.txt", "deny", "deny", "deny"],
  // made to deceive, or not to be judged
  ["", "deny", "deny", "deny"],
  ["src/\0/x", "deny", "deny", "deny"],
  ["/data/a/x\0/../../../etc/passwd", "deny", "deny", "deny"],
  ["/data/a/\ud800", "deny", "deny", "deny"],
  [`/data/a/${"x/".repeat(3000)}`, "deny", "deny", "deny"],
  [`/data/a/${"x".repeat(300)}`, "deny", "deny", "deny"],
  ["~root/x", "ask", "ask", "deny"],
  ["~bob", "ask", "ask", "deny"],
  ["file://evil.example/data/a/x", "deny", "deny", "deny"],
  ["file:///data/a%2f..%2f..%2fetc/passwd", "deny", "deny", "deny"],
  ["file:///data/a/%00", "deny", "deny", "deny"],
  ["file:///data/a/%zz", "deny", "deny", "deny"],
  ["file:///data/a/x?y", "deny", "deny", "deny"],
  ["file:///data/a/x#y", "deny", "deny", "deny"],
  ["file:data/a", "deny", "deny", "deny"],
  ["vscode-remote://ssh/etc/passwd", "ask", "ask", "deny"],
  ["vscode-userdata:/User/settings.json", "ask", "ask", "deny"],
  ["/proc/self/cwd/x", "ask", "ask", "deny"],
  ["/proc/self/root/etc/passwd", "ask", "ask", "deny"],
  ["/proc/1/root/data/a", "ask", "ask", "deny"],
  ["/proc/thread-self/fd/3", "ask", "ask", "deny"],
  // credentials
  ["/home/u/.ssh/id_rsa", "ask", "ask", "deny"],
  ["~/.ssh/authorized_keys", "ask", "ask", "deny"],
  ["~/.aws/credentials", "ask", "ask", "deny"],
  ["~/.gnupg/x", "ask", "ask", "deny"],
  ["~/.netrc", "ask", "ask", "deny"],
  ["~/.config/gh/hosts.yml", "ask", "ask", "deny"],
  ["~/.kube/config", "ask", "ask", "deny"],
  ["~/.docker/config.json", "ask", "ask", "deny"],
  ["~/.npmrc", "ask", "ask", "deny"],
  ["/etc/shadow", "ask", "ask", "deny"],
  ["/etc/shadow-", "ask", "ask", "deny"],
  ["/home/other/.ssh/id_rsa", "ask", "ask", "deny"],
  ["/root/.ssh/id_rsa", "ask", "ask", "deny"],
  ["/proc/self/environ", "ask", "ask", "deny"],
  ["/proc/42/environ", "ask", "ask", "deny"],
  ["~/.mozilla/firefox/x/logins.json", "ask", "ask", "deny"],
  ["~/.config/google-chrome/Default/Login Data", "ask", "ask", "deny"],
  ["key", "ask", "ask", "deny"],
  ["id_ed25519", "ask", "ask", "ask"],
  [".env", "ask", "allow", "ask"],
  ["app/.env.production", "ask", "allow", "ask"],
  [".env.example", "allow", "allow", "allow"],
  ["src/env.ts", "allow", "allow", "allow"],
  ["keys/id_rsa.pub", "allow", "allow", "allow"],
];

const DARWIN_ROWS: readonly Row[] = [
  ["/Users/u/Work/Café/src", "allow", "allow", "allow"],
  ["/Users/u/Work/Cafe\u0301/src", "allow", "allow", "allow"],
  ["/users/U/work/CAFÉ/src/x", "allow", "allow", "allow"],
  ["/USERS/u/WORK/CAFE\u0301/new", "allow", "allow", "allow"],
  ["SRC/x", "allow", "allow", "allow"],
  ["/Users/u/Work/Cafe/src", "ask", "ask", "deny"],
  ["/Users/u/Work/Café2/src", "ask", "ask", "deny"],
  ["link/x", "ask", "ask", "deny"],
  ["LINK/x", "ask", "ask", "deny"],
  ["../x", "ask", "ask", "deny"],
  ["/tmp/x", "allow", "allow", "deny"],
  ["/private/tmp/x", "allow", "allow", "deny"],
  ["/var/folders/ab/T/x", "allow", "allow", "deny"],
  ["/TMP/x", "allow", "allow", "deny"],
  ["/tmp/../etc/passwd", "ask", "ask", "deny"],
  ["/etc/passwd", "ask", "ask", "deny"],
  ["/etc/hosts", "allow", "ask", "deny"],
  ["/private/etc/hosts", "allow", "ask", "deny"],
  ["/etc/master.passwd", "ask", "ask", "deny"],
  ["/usr/include/stdio.h", "allow", "ask", "deny"],
  ["/opt/homebrew/lib/x", "allow", "ask", "deny"],
  ["~/Library/Caches/pip/x", "allow", "ask", "deny"],
  ["~/Library/Keychains/login.keychain-db", "ask", "ask", "deny"],
  ["~/Library/Application Support/Google/Chrome/Default/Cookies", "ask", "ask", "deny"],
  ["~/.SSH/id_rsa", "ask", "ask", "deny"],
  ["~/.ſſh/id_rsa", "ask", "ask", "deny"],
  ["~/.s\u200csh/id_rsa", "ask", "ask", "deny"],
  ["/Users/other/.aws/credentials", "ask", "ask", "deny"],
  [".ENV", "ask", "allow", "ask"],
  ["file:///Users/u/Work/Caf%C3%A9/src", "allow", "allow", "allow"],
  ["file:///Users/u/Work/Cafe%CC%81/src", "allow", "allow", "allow"],
  ["/Volumes/Disk/x", "ask", "ask", "deny"],
  ["/.vol/16777220/2", "ask", "ask", "deny"],
  ["", "deny", "deny", "deny"],
];

const WIN_ROWS: readonly Row[] = [
  ["C:\\Work\\Proj\\src\\a.ts", "allow", "allow", "allow"],
  ["c:\\work\\PROJ\\SRC\\a.ts", "allow", "allow", "allow"],
  ["C:/Work/Proj/src/a.ts", "allow", "allow", "allow"],
  ["/c:/Work/Proj/src/a.ts", "allow", "allow", "allow"],
  ["src\\a.ts", "allow", "allow", "allow"],
  ["src/a.ts", "allow", "allow", "allow"],
  [".\\src\\..\\README.md", "allow", "allow", "allow"],
  ["\\Work\\Proj\\x", "allow", "allow", "allow"],
  ["inner\\x", "allow", "allow", "allow"],
  ["file:///C:/Work/Proj/x", "allow", "allow", "allow"],
  ["file:///c%3A/Work/Proj/x", "allow", "allow", "allow"],
  ["\\\\?\\C:\\Work\\Proj\\x", "allow", "allow", "allow"],
  ["//?/C:/Work/Proj/x", "allow", "allow", "allow"],
  ["src\\a.ts.", "allow", "allow", "allow"],
  ["src \\a.ts ", "allow", "allow", "allow"],
  ["console.log", "allow", "allow", "allow"],
  ["nullable.ts", "allow", "allow", "allow"],
  ["com.example\\x", "allow", "allow", "allow"],
  ["a~b.txt", "allow", "allow", "allow"],
  ["C:\\Program Files\\nodejs\\node.exe", "allow", "ask", "deny"],
  ["C:\\Windows\\System32\\drivers\\etc\\hosts", "allow", "ask", "deny"],
  ["~\\AppData\\Local\\Temp\\x", "allow", "allow", "deny"],
  ["C:\\Users\\u\\.cargo\\registry\\x", "allow", "ask", "deny"],
  ["C:\\Secret\\x", "ask", "ask", "deny"],
  ["C:\\Work\\Proj2\\x", "ask", "ask", "deny"],
  ["C:\\Work\\Proj.\\..\\Proj2", "ask", "ask", "deny"],
  ["D:\\Work\\Proj\\x", "ask", "ask", "deny"],
  ["..\\x", "ask", "ask", "deny"],
  ["..\\..\\Secret", "ask", "ask", "deny"],
  ["src\\..\\..\\Proj2", "ask", "ask", "deny"],
  ["src/../../Proj2", "ask", "ask", "deny"],
  ["junction\\x", "ask", "ask", "deny"],
  ["JUNCTION/x", "ask", "ask", "deny"],
  ["junction\\..\\x", "ask", "ask", "deny"],
  ["nt\\x", "ask", "ask", "deny"],
  ["rel\\x", "ask", "ask", "deny"],
  ["/etc/passwd", "ask", "ask", "deny"],
  ["/c/Work/Proj/x", "ask", "ask", "deny"],
  ["\\\\server\\share\\x", "ask", "ask", "deny"],
  ["//server/share/x", "ask", "ask", "deny"],
  ["\\\\localhost\\C$\\Work\\Proj\\x", "ask", "ask", "deny"],
  ["\\\\127.0.0.1\\c$\\Users\\u\\.ssh\\id_rsa", "ask", "ask", "deny"],
  ["\\\\?\\UNC\\server\\share\\x", "ask", "ask", "deny"],
  ["file://server/share/x", "ask", "ask", "deny"],
  ["file:////server/share/x", "ask", "ask", "deny"],
  ["file:///C:/Secret/x", "ask", "ask", "deny"],
  ["\\\\?\\C:\\Secret", "ask", "ask", "deny"],
  ["PROGRA~1\\x", "ask", "ask", "deny"],
  ["C:\\WORK\\PROJ~1\\x", "ask", "ask", "deny"],
  ["C:\\Users\\u\\SSH~1\\id_rsa", "ask", "ask", "deny"],
  ["new~1.txt", "ask", "ask", "deny"],
  ["not-there\\new~1.txt", "ask", "ask", "deny"],
  ["C:\\Users\\u\\.ssh\\id_rsa", "ask", "ask", "deny"],
  ["C:\\Users\\u\\.ssh.\\id_rsa", "ask", "ask", "deny"],
  ["C:\\Users\\u\\.ssh \\id_rsa", "ask", "ask", "deny"],
  ["c:\\users\\U\\.SSH\\ID_RSA", "ask", "ask", "deny"],
  ["C:\\Users\\other\\.aws\\credentials", "ask", "ask", "deny"],
  ["C:\\Users\\u\\AppData\\Local\\Google\\Chrome\\User Data\\Default\\Login Data", "ask", "ask", "deny"],
  ["C:\\Windows\\System32\\config\\SAM", "ask", "ask", "deny"],
  [".env", "ask", "allow", "ask"],
  [".env.", "ask", "allow", "ask"],
  ["x.txt:stream", "deny", "deny", "deny"],
  ["x.txt::$DATA", "deny", "deny", "deny"],
  ["src::$INDEX_ALLOCATION\\x", "deny", "deny", "deny"],
  [".env::$DATA", "deny", "deny", "deny"],
  ["C:x.txt", "deny", "deny", "deny"],
  ["C:", "deny", "deny", "deny"],
  ["D:..\\x", "deny", "deny", "deny"],
  ["\\\\.\\PhysicalDrive0", "deny", "deny", "deny"],
  ["\\\\.\\C:\\Work\\Proj\\x", "deny", "deny", "deny"],
  ["\\\\.\\pipe\\x", "deny", "deny", "deny"],
  ["//./pipe/x", "deny", "deny", "deny"],
  ["\\\\?\\GLOBALROOT\\Device\\x", "deny", "deny", "deny"],
  ["\\\\?\\Volume{0}\\x", "deny", "deny", "deny"],
  ["\\??\\C:\\Work\\Proj\\x", "deny", "deny", "deny"],
  ["\\\\?\\C:\\Work\\Proj\\..\\..\\Secret", "deny", "deny", "deny"],
  ["\\\\?\\C:\\Work\\Proj\\x.", "deny", "deny", "deny"],
  ["\\\\server", "deny", "deny", "deny"],
  ["\\\\", "deny", "deny", "deny"],
  ["CON", "deny", "deny", "deny"],
  ["nul.txt", "deny", "deny", "deny"],
  ["src\\com1", "deny", "deny", "deny"],
  ["src\\COM¹.log", "deny", "deny", "deny"],
  ["aux .txt", "deny", "deny", "deny"],
  ["CONIN$", "deny", "deny", "deny"],
  ["lpt9\\x", "deny", "deny", "deny"],
  ["...\\x", "deny", "deny", "deny"],
  [".. \\x", "deny", "deny", "deny"],
  ["a*b", "deny", "deny", "deny"],
  ["a|b", "deny", "deny", "deny"],
  ["a\u0007b", "deny", "deny", "deny"],
  ["file:///C:/Work%5c..%5cSecret", "deny", "deny", "deny"],
  ["x\0y", "deny", "deny", "deny"],
  ["", "deny", "deny", "deny"],
];

async function kindOf(world: World, tool: string, args: Record<string, unknown>): Promise<string> {
  return (await ask(allowlistOn(world), callOn(world, tool, args))).kind;
}

describe.each([
  ["linux", LINUX, LINUX_ROWS],
  ["darwin", DARWIN, DARWIN_ROWS],
  ["win32", WIN, WIN_ROWS],
] as const)("on %s", (_os, world, rows) => {
  test.each(rows)("%j", async (path, read, write, strict) => {
    expect({
      read: await kindOf(world, "read_file", { filePath: path }),
      write: await kindOf(world, "create_file", { filePath: path, content: "x" }),
      strict: await kindOf(world, "kb_add_file", { path }),
    }).toEqual({ read, write, strict });
  });
});

describe("what a person and the chain are told", () => {
  test("an ask names the path, where it really points, and binds to it", async () => {
    const decision = await ask(allowlistOn(LINUX), callOn(LINUX, "read_file", { filePath: "out/x" }));
    expect(decision).toMatchObject({
      kind: "ask",
      prompt: "Read out/x (really /data/secret/x): it lies outside the allowed folders.",
      details: { path: "out/x", real: "/data/secret/x", access: "read", outside: true },
      binding: { "path:filePath": "/data/secret/x" },
      sessionScope: { key: "path_allowlist: read /data/secret", label: "read in /data/secret" },
    });
  });

  test("an allow binds to the real path too", async () => {
    const decision = await ask(allowlistOn(LINUX), callOn(LINUX, "read_file", { filePath: "inner/x.md" }));
    expect(decision).toEqual({ kind: "allow", binding: { "path:filePath": "/data/a/docs/x.md" } });
  });

  test("several paths of one argument have one binding each", async () => {
    const call = callOn(LINUX, "multi_replace_string_in_file", {
      replacements: [{ filePath: "a.ts" }, { filePath: "b.ts" }],
    });
    const { binding } = await ask(allowlistOn(LINUX), call);
    expect(Object.values(binding ?? {})).toEqual(["/data/a/a.ts", "/data/a/b.ts"]);
  });

  test("a deny says what to do", async () => {
    const decision = await ask(allowlistOn(LINUX), callOn(LINUX, "kb_add_file", { path: "/etc/passwd" }));
    expect(decision).toMatchObject({
      kind: "deny",
      reason: expect.stringMatching(/\/etc\/passwd is outside.*path_allowlist_extra/),
    });
  });

  test.each([["~/.ssh/id_rsa"], [".env"], ["~bob/x"]])("no wider grant is offered for %s", async (path) => {
    const decision = await ask(allowlistOn(LINUX), callOn(LINUX, "read_file", { filePath: path }));
    expect(decision.kind).toBe("ask");
    expect(decision).not.toHaveProperty("sessionScope");
  });

  test("a write of a shell command gets no wider grant", async () => {
    const decision = await ask(
      allowlistOn(LINUX),
      callOn(LINUX, "run_in_terminal", { command: "touch ~/notes/x" }),
    );
    expect(decision).toMatchObject({ kind: "ask" });
    expect(decision).not.toHaveProperty("sessionScope");
  });
});

describe("roots", () => {
  test("none at all is an error when built, or denies with a reason", async () => {
    expect(() => allowlistOn(LINUX, { roots: [] })).toThrow(/no roots/);
    const hook = allowlistOn(LINUX, { roots: () => [] });
    expect(await ask(hook, callOn(LINUX, "read_file", { filePath: "x" }))).toMatchObject({
      kind: "deny",
      reason: expect.stringContaining("no allowed folders"),
    });
    expect(await ask(hook, callOn(LINUX, "kb_search", { query: "x" }))).toEqual({ kind: "allow" });
  });

  test("roots that cannot be judged widen nothing", async () => {
    const hook = allowlistOn(LINUX, { roots: () => ["relative", "", "~bob", "/data/a/self"] });
    expect(await ask(hook, callOn(LINUX, "read_file", { filePath: "/data/a/x" }))).toMatchObject({
      kind: "deny",
    });
  });

  test.each<[extra: string, path: string, kind: Kind]>([
    ["~/notes", "/home/u/notes/x", "allow"],
    ["/data/secret", "out/x", "allow"],
    ["../ab", "/data/ab/x", "allow"],
    ["../ab", "/data/abc/x", "deny"],
    ["~bob", "/home/bob/x", "deny"],
  ])("extra %s with %s", async (extra, path, kind) => {
    const hook = allowlistOn(LINUX, { extra: [extra] });
    expect((await ask(hook, callOn(LINUX, "kb_add_file", { path }))).kind).toBe(kind);
  });

  test("a root that is a link counts where it really lies", async () => {
    const hook = allowlistOn(LINUX, { roots: () => ["/data/a/out"] });
    expect((await ask(hook, callOn(LINUX, "kb_add_file", { path: "/data/secret/x" }))).kind).toBe("allow");
  });

  test("outside = deny denies, credentials outside too, and keeps asking for credentials inside", async () => {
    const hook = allowlistOn(LINUX, { outside: "deny" });
    expect((await ask(hook, callOn(LINUX, "read_file", { filePath: "/data/ab/x" }))).kind).toBe("deny");
    expect((await ask(hook, callOn(LINUX, "read_file", { filePath: "~/.ssh/id_rsa" }))).kind).toBe("deny");
    expect((await ask(hook, callOn(LINUX, "read_file", { filePath: ".env" }))).kind).toBe("ask");
    expect((await ask(hook, callOn(LINUX, "read_file", { filePath: "/usr/include/stdio.h" }))).kind).toBe(
      "allow",
    );
  });

  test("a file system that cannot be looked at is no permission", async () => {
    const blind: FileSystem = {
      os: "linux",
      home: "/home/u",
      caseInsensitive: false,
      look: async (path) =>
        path.startsWith("/data/a/locked") ? { kind: "unreadable", message: "EACCES" } : { kind: "there" },
    };
    const hook = allowlistOn(LINUX, { fs: blind });
    expect((await ask(hook, callOn(LINUX, "read_file", { filePath: "locked/x" }))).kind).toBe("ask");
    expect((await ask(hook, callOn(LINUX, "kb_add_path", { path: "locked/x" }))).kind).toBe("deny");
  });
});
