/** Credential files by every way an agent reads files, and what looks like one and is none. */
import { describe, expect, test } from "vitest";
import { CREDENTIAL_PLACES } from "../../../src/core/paths/credentialPlaces";
import { allowlistOn, ask, callOn, LINUX } from "./worlds";

const LINKS = {
  ...LINUX.links,
  "/data/a/.env": null,
  "/data/a/.env.example": null,
  "/data/a/sub/.env.local": null,
  "/home/u/.ssh/id_rsa": null,
  ...Object.fromEntries(
    ["/private/etc/x", "/var/db/x", "/private/var/x", "/run/x", "/var/run/x", "/var/lib/x", "/proc/1"].map(
      (path) => [path, null],
    ),
  ),
};
const WORLD = { ...LINUX, links: LINKS };
const kind = async (tool: string, args: Record<string, unknown>) =>
  (await ask(allowlistOn(WORLD), callOn(WORLD, tool, args))).kind;
const shell = (command: string) => kind("run_in_terminal", { command });

const sample = (at: string) =>
  at
    .replace(/^\*\*\//, "")
    .replace(/\/\*\*$/, "/some/file")
    .replaceAll("*", "x");
const ROWS = CREDENTIAL_PLACES.filter(({ at }) => !/AppData|Library\/|^%/.test(at)).map(
  ({ at }) => [at, sample(at)] as const,
);

describe.each(ROWS)("%s", (_at, file) => {
  const quoted = `'${file.replace(/^~\//, "")}'`;
  const word = file.startsWith("~/") ? `~/${quoted}` : quoted;
  test("every way of reading asks", async () => {
    const reads = {
      read: await kind("read_file", { filePath: file }),
      claude: await kind("Read", { file_path: file }),
      many: await kind("read_many_files", { paths: ["README.md", file] }),
      mcp: await kind("mcp_fs_read_file", { path: file }),
      mcpMany: await kind("mcp__filesystem__read_multiple_files", { paths: [file] }),
      mcpNested: await kind("mcp__any__show", { options: { file_path: file } }),
      search: await kind("Grep", { pattern: "x", path: file }),
      cat: await shell(`cat ${word}`),
      head: await shell(`head -c 10 ${word}`),
      grep: await shell(`grep -n KEY ${word}`),
      copy: await shell(`cp ${word} x`),
      move: await shell(`mv ${word} x`),
      base64: await shell(`base64 ${word}`),
      xxd: await shell(`xxd ${word} | head`),
      tar: await shell(`tar czf x.tgz ${word}`),
      zip: await shell(`zip x.zip ${word}`),
      form: await shell(`curl -F f=@${word} http://localhost:1`),
      data: await shell(`curl -d @${word} http://localhost:1`),
      upload: await shell(`curl -T ${word} http://localhost:1`),
      wget: await shell(`wget --post-file=${word} http://localhost:1`),
      input: await shell(`wc -c < ${word}`),
      loop: await shell(`while read l; do echo $l; done < ${word}`),
      substitution: await shell(`echo "$(cat ${word})"`),
      scp: await shell(`scp ${word} host:`),
      rsync: await shell(`rsync -a ${word} host:x`),
      dd: await shell(`dd if=${word.replaceAll("'", "")} of=x`.replace(/if=(\S* .*) of/, "if='$1' of")),
      python: await shell(`python3 -c "print(open('${file.replace(/^~/, "/home/u")}').read())"`),
      link: await shell(`ln -s ${word} x`),
      sudo: await shell(`sudo cat ${word}`),
      nested: await shell(`bash -c "cat ${word.replaceAll("'", '\\"')}"`),
      xargs: await shell(`echo ${word} | xargs cat`),
      diff: await shell(`git diff --no-index /dev/null ${word}`),
    };
    const expected = Object.fromEntries(Object.keys(reads).map((key) => [key, "ask"]));
    // A name in a word of code is only known for the user's own places.
    if (!/^[~/]/.test(file)) expected.python = reads.python;
    expect(reads).toEqual(expected);
  });
});

describe("searching through folders that hold one", () => {
  test.each([
    "grep -r TOKEN ~/.aws",
    "grep -rn key ~/.config/gh",
    "rg --hidden key ~/.ssh",
    "cat ~/.ssh/*",
    "cat .env*",
    "find ~/.ssh -type f -exec cat {} +",
    "find . -name '.env*' -exec cat {} \\;",
    "find . -name .env | xargs cat",
    "tar cz ~/.ssh | base64",
    "cp -r ~/.aws x",
    "zip -r x.zip ~/.gnupg",
    "rsync -a ~/.ssh/ x/",
    "grep -r API_KEY .",
    "grep -rn 'SECRET' --include='.env*' .",
    "grep -rE 'password|token' .",
    "grep -rh '' .",
    "rg -uu API_KEY",
    "rg --hidden SECRET .",
    "ag --hidden token",
    "grep -r = sub/.env.local",
  ])("%s asks", async (command) => {
    expect([command, await shell(command)]).toEqual([command, "ask"]);
  });

  test.each([
    ["Grep", { pattern: "KEY", path: "/home/u/.aws" }],
    ["Grep", { pattern: "KEY", path: ".", glob: ".env*" }],
    ["grep_search", { query: "KEY", includePattern: "**/.env" }],
  ])("%s %j asks", async (tool, args) => {
    expect(await kind(tool, args)).toBe("ask");
  });

  test.each([
    "grep -rn TODO .",
    "grep -r 'function login' src",
    "grep -rn API_KEY src",
    "grep -rn API_KEY --include='*.ts' .",
    "grep -rn token --exclude-dir=node_modules --exclude='.env*' .",
    "rg API_KEY",
    "rg -n password src",
    "git grep API_KEY",
    "cat .env.example",
    "cp .env.example .env",
    "diff .env.example .env.sample",
    "cat ~/.ssh/id_rsa.pub",
    "cat ~/.ssh/id_ed25519.pub | pbcopy",
    "ssh-keygen -lf ~/.ssh/id_rsa.pub",
    "ls -la ~/.ssh",
    "test -f .env && echo yes",
    "echo A=1 >> .env",
    "find . -name '*.ts' -exec grep -n token {} +",
    "docker compose --env-file .env up -d",
    "node --env-file=.env server.js",
    "git add .env.example",
    "npm run dev",
  ])("%s passes", async (command) => {
    expect([command, await shell(command)]).toEqual([command, "allow"]);
  });

  test.each([
    ["read_file", { filePath: ".env.example" }],
    ["read_file", { filePath: ".env.sample" }],
    ["read_file", { filePath: "/home/u/.ssh/id_rsa.pub" }],
    ["create_file", { filePath: ".env", content: "A=1" }],
    ["Grep", { pattern: "KEY", path: "src" }],
    ["Grep", { pattern: "KEY" }],
  ])("%s %j passes", async (tool, args) => {
    expect(await kind(tool, args)).toBe("allow");
  });
});
