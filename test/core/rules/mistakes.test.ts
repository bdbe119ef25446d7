import { describe, expect, test } from "vitest";
import { formatProblem } from "../../../src/core/errors";
import { type ConfigFormat, MAX_CONFIG_SIZE, parseConfig } from "../../../src/core/rules/parse";

/** [text, problems as `line:column-endLine:endColumn message (suggestion)`] */
type Row = readonly [text: string, ...problems: string[]];

function problems(text: string, format: ConfigFormat): string[] {
  const result = parseConfig({ text, file: "f", format });
  if (result.ok) return [];
  return result.problems.map((p) => {
    expect(p.file).toBe("f");
    const end = `${p.endLine}:${p.endColumn}`;
    return formatProblem(p).replace(/^f:(\d+:\d+):/, `$1-${end}`);
  });
}

const DIALECTS = '"postgresql", "postgres", "mysql", "mariadb", "sqlite", "mssql", …';
const DESTRUCTIVE = "[chain.options.destructive_sql]\n";
const known = {
  top: "known: version, chain, audit, database, policies, hooks",
  audit: "known: path, redact, redact_exempt, durability, required",
};

const unknownKeys: readonly Row[] = [
  ["vers = 1", "1:1-1:5 unknown key `vers` (did you mean `version`?)"],
  ["verison = 1", "1:1-1:8 unknown key `verison` (did you mean `version`?)"],
  ["[chian]", "1:2-1:7 unknown key `chian` (did you mean `chain`?)"],
  ["[Chain]", "1:2-1:7 unknown key `Chain` (did you mean `chain`?)"],
  ["[database]\nurll = 'sqlite:x'", "2:1-2:5 unknown key `urll` in [database] (did you mean `url`?)"],
  ["[database]\nmaxrows = 1", "2:1-2:8 unknown key `maxrows` in [database] (did you mean `max_rows`?)"],
  ["[database]\nmax-rows = 1", "2:1-2:9 unknown key `max-rows` in [database] (did you mean `max_rows`?)"],
  ["[chain]\nenabeld = true", "2:1-2:8 unknown key `enabeld` in [chain] (did you mean `enabled`?)"],
  ["chain.enabeld = true", "1:7-1:14 unknown key `enabeld` in [chain] (did you mean `enabled`?)"],
  ["chain = { enabeld = true }", "1:11-1:18 unknown key `enabeld` in [chain] (did you mean `enabled`?)"],
  ['[chain]\n"enabeld" = true', "2:1-2:10 unknown key `enabeld` in [chain] (did you mean `enabled`?)"],
  ["[chain]\r\n\r\n  enabeld = true", "3:3-3:10 unknown key `enabeld` in [chain] (did you mean `enabled`?)"],
  ["\ufeff[chian]", "1:2-1:7 unknown key `chian` (did you mean `chain`?)"],
  [
    '[chain] # 😀\norder = ["😀"] # é\nquotas = true',
    '2:10-2:14 `chain.order[0]` must be one of "path_allowlist", "read_only", "destructive_sql", "shell", "self_protection", "egress", "quota", "row_limit", not the text "😀"',
    "3:1-3:7 unknown key `quotas` in [chain] (did you mean `quota`?)",
  ],
  ["[chain.options.quotas]", "1:16-1:22 unknown key `quotas` in [chain.options] (did you mean `quota`?)"],
  ["[chain.option.quota]\ncalls = 1", "1:8-1:14 unknown key `option` in [chain] (did you mean `options`?)"],
  [
    `${DESTRUCTIVE}on_unparsable = "deny"`,
    "2:1-2:14 unknown key `on_unparsable` in [chain.options.destructive_sql] (did you mean `on_unparseable`?)",
  ],
  [
    `${DESTRUCTIVE}consnet = "human"`,
    "2:1-2:8 unknown key `consnet` in [chain.options.destructive_sql] (did you mean `consent`?)",
  ],
  ['[chain]\nredact = ["a"]', "2:1-2:7 unknown key `redact` in [chain] (`redact` belongs in [audit])"],
  ["max_rows = 5", "1:1-1:9 unknown key `max_rows` (`max_rows` belongs in [database])"],
  [
    '[chain]\noutside = "ask"',
    "2:1-2:8 unknown key `outside` in [chain] (`outside` belongs in [chain.options.path_allowlist])",
  ],
  ["[nonsense]", `1:2-1:10 unknown key \`nonsense\` (${known.top})`],
  ["[audit]\nnonsense = 1", `2:1-2:9 unknown key \`nonsense\` in [audit] (${known.audit})`],
  ["a = 1\nb = 2", `1:1-1:2 unknown key \`a\` (${known.top})`, `2:1-2:2 unknown key \`b\` (${known.top})`],
  ["[alias]", "1:2-1:7 `alias` is not in this version (remove it)"],
  ["[live]", "1:2-1:6 `live` is not in this version (remove it)"],
  ["[tools.x]", "1:2-1:7 `tools` is not in this version (remove it)"],
  ["[live]\nrecord = 'x'", "1:2-1:6 `live` is not in this version (remove it)"],
  ["[chain]\nrow_limits = true", "2:1-2:11 unknown key `row_limits` in [chain] (did you mean `row_limit`?)"],
  ["[chain]\nreadonly = true", "2:1-2:9 unknown key `readonly` in [chain] (did you mean `read_only`?)"],
  ["[audit]\nrotate_bytes = 1", "2:1-2:13 `audit.rotate_bytes` is not in this version (remove it)"],
  ["[audit.otlp]\nurl = ''", "1:8-1:12 `audit.otlp` is not in this version (remove it)"],
  ["__proto__ = 1", "1:1-1:10 unknown key `__proto__`"],
  ["[chain.__proto__]\nenabled = false", "1:8-1:17 unknown key `__proto__`"],
  ["constructor = 1", `1:1-1:12 unknown key \`constructor\` (${known.top})`],
  ['"\\u202e" = 1', `1:1-1:9 unknown key \`\\u{202E}\` (${known.top})`],
];

const wrongValues: readonly Row[] = [
  ["version = 2", "1:11-1:12 `version` must be 1, not 2"],
  ['version = "1"', '1:11-1:14 `version` must be 1, not the text "1"'],
  ["chain = true", "1:9-1:13 `chain` must be a table, not true"],
  ["chain = []", "1:9-1:11 `chain` must be a table, not a list"],
  ["chain = 1979-05-27", "1:9-1:19 `chain` must be a table, not a date"],
  ["[[chain]]", "1:3-1:8 `chain` must be a table, not a list"],
  [
    '[chain]\nenabled = "yes"',
    '2:11-2:16 `chain.enabled` must be true or false, not the text "yes" (write true)',
  ],
  [
    '[chain]\nenabled = "Off"',
    '2:11-2:16 `chain.enabled` must be true or false, not the text "Off" (write false)',
  ],
  ["[chain]\nenabled = 0", "2:11-2:12 `chain.enabled` must be true or false, not 0 (write false)"],
  ["[chain]\nenabled = []", "2:11-2:13 `chain.enabled` must be true or false, not a list"],
  ["[chain]\npath_allowlist = { }", "2:18-2:21 `chain.path_allowlist` must be true or false, not a table"],
  [
    '[chain]\npath_allowlist_extra = "/srv"',
    '2:24-2:30 `chain.path_allowlist_extra` must be a list, not the text "/srv" (write ["/srv"])',
  ],
  [
    "[chain]\npath_allowlist_extra = [\n  '/a',\n  3,\n]",
    "4:3-4:4 `chain.path_allowlist_extra[1]` must be text, not 3",
  ],
  ["[chain]\npath_allowlist_extra = ['']", "2:25-2:27 `chain.path_allowlist_extra[0]` must not be empty"],
  [
    '[chain]\npath_allowlist_extra = ["a\\u0000b"]',
    '2:25-2:35 `chain.path_allowlist_extra[0]` must not contain control characters, not the text "a\\u0000b"',
  ],
  [
    '[chain]\npath_allowlist_extra = ["a\\u202eb"]',
    '2:25-2:35 `chain.path_allowlist_extra[0]` must not contain control characters, not the text "a\\u{202E}b"',
  ],
  [
    "[chain]\npath_allowlist_extra = [1979-05-27]",
    "2:25-2:35 `chain.path_allowlist_extra[0]` must be text, not a date",
  ],
  [
    `[chain]\npath_allowlist_extra = ["${"x".repeat(4097)}"]`,
    "2:25-2:4124 `chain.path_allowlist_extra[0]` must not be longer than 4096",
  ],
  ['[chain]\norder = ["quota", "quota"]', "2:9-2:27 `chain.order` names a hook twice"],
  [
    '[chain]\norder = ["a b"]',
    '2:10-2:15 `chain.order[0]` must be one of "path_allowlist", "read_only", "destructive_sql", "shell", "self_protection", "egress", "quota", "row_limit", not the text "a b"',
  ],
  [
    '[chain.options.path_allowlist]\noutside = "denied"',
    '2:11-2:19 `chain.options.path_allowlist.outside` must be one of "ask", "deny", not the text "denied" (did you mean "deny"?)',
  ],
  [
    '[chain.options.path_allowlist]\noutside = "allow"',
    '2:11-2:18 `chain.options.path_allowlist.outside` must be one of "ask", "deny", not the text "allow"',
  ],
  [
    '[chain.options.path_allowlist]\ntools = ["x"]',
    "2:9-2:14 `chain.options.path_allowlist.tools` must be a table, not a list",
  ],
  [
    "[chain.options.path_allowlist.tools]\nx = 1",
    "2:5-2:6 `chain.options.path_allowlist.tools.x` must be text, not 1",
  ],
  [
    "[chain.options.path_allowlist.tools]\nx = ''",
    "2:5-2:7 `chain.options.path_allowlist.tools.x` must not be empty",
  ],
  [
    "[chain.options.path_allowlist.tools]\nconstructor = 'a'",
    "2:1-2:12 `chain.options.path_allowlist.tools.constructor`: the tool's name is not a tool name",
  ],
  ["[chain.options.path_allowlist.tools]\n__proto__ = 'a'", "2:1-2:10 unknown key `__proto__`"],
  [
    `${DESTRUCTIVE}dialect = "posgresql"`,
    `2:11-2:22 \`chain.options.destructive_sql.dialect\` must be one of ${DIALECTS}, not the text "posgresql" (did you mean "postgresql"?)`,
  ],
  [
    `${DESTRUCTIVE}dialect = "SQLite"`,
    `2:11-2:19 \`chain.options.destructive_sql.dialect\` must be one of ${DIALECTS}, not the text "SQLite" (did you mean "sqlite"?)`,
  ],
  [
    `${DESTRUCTIVE}dialect = 3`,
    `2:11-2:12 \`chain.options.destructive_sql.dialect\` must be one of ${DIALECTS}, not 3`,
  ],
  [
    `${DESTRUCTIVE}on_unparseable = "allow"`,
    '2:18-2:25 `chain.options.destructive_sql.on_unparseable` must be one of "ask", "deny", not the text "allow"',
  ],
  [
    `${DESTRUCTIVE}on_unverified = "alow"`,
    '2:17-2:23 `chain.options.destructive_sql.on_unverified` must be one of "allow", "ask", "deny", not the text "alow" (did you mean "allow"?)',
  ],
  [
    `${DESTRUCTIVE}confirm_arg = ""`,
    '2:15-2:17 `chain.options.destructive_sql.confirm_arg` must be a name: letters, digits and _, not the text ""',
  ],
  [
    `${DESTRUCTIVE}confirm_arg = "a b"`,
    '2:15-2:20 `chain.options.destructive_sql.confirm_arg` must be a name: letters, digits and _, not the text "a b"',
  ],
  [
    `${DESTRUCTIVE}consent = "agent"`,
    '2:11-2:18 `chain.options.destructive_sql.consent` must be one of "args", "human", not the text "agent"',
  ],
  ["[chain.options.quota]\ncalls = 0", "2:9-2:10 `chain.options.quota.calls` must be at least 1, not 0"],
  ["[chain.options.quota]\ncalls = -5", "2:9-2:11 `chain.options.quota.calls` must be at least 1, not -5"],
  [
    "[chain.options.quota]\ncalls = 1.5",
    "2:9-2:12 `chain.options.quota.calls` must be a whole number, not 1.5 (write a whole number)",
  ],
  [
    '[chain.options.quota]\ncalls = "100"',
    '2:9-2:14 `chain.options.quota.calls` must be a number, not the text "100" (write 100 without quotes)',
  ],
  ["[chain.options.quota]\ncalls = nan", "2:9-2:12 `chain.options.quota.calls` must be a number, not NaN"],
  [
    "[chain.options.quota]\ncalls = 99999999999999999999",
    "2:9-2:29 `chain.options.quota.calls` must be at most 1000000000, not 100000000000000000000",
  ],
  [
    '[chain.options.quota]\nper = "hours"',
    '2:7-2:14 `chain.options.quota.per` must be one of "minute", "hour", "day", not the text "hours" (did you mean "hour"?)',
  ],
  ["[chain]\nrow_limit = 1000", "2:13-2:17 `chain.row_limit` must be true or false, not 1000"],
  ["[chain.options.row_limit]\nmax = 0", "2:7-2:8 `chain.options.row_limit.max` must be at least 1, not 0"],
  [
    "[chain.options.row_limit]\nmax = 2.5",
    "2:7-2:10 `chain.options.row_limit.max` must be a whole number, not 2.5 (write a whole number)",
  ],
  [
    '[chain]\nread_only = "yes"',
    '2:13-2:18 `chain.read_only` must be true or false, not the text "yes" (write true)',
  ],
  ['[audit]\nredact = "pin"', '2:10-2:15 `audit.redact` must be a list, not the text "pin" (write ["pin"])'],
  ["[audit]\nredact = ['a', []]", "2:16-2:18 `audit.redact[1]` must be text, not a list"],
  ["[audit]\nredact_exempt = [true]", "2:18-2:22 `audit.redact_exempt[0]` must be text, not true"],
  [
    '[audit]\ndurability = "allways"',
    '2:14-2:23 `audit.durability` must be one of "group", "always", not the text "allways" (did you mean "always"?)',
  ],
  [
    '[audit]\nrequired = "no"',
    '2:12-2:16 `audit.required` must be true or false, not the text "no" (write false)',
  ],
  [
    '[database]\nurl = "postgres:/x"',
    '2:7-2:20 `database.url` must begin with "sqlite:", "postgres://", "mysql://" or "mariadb://"',
  ],
  [
    '[database]\nurl = "oracle://u:secret@h/d"',
    '2:7-2:30 `database.url` must begin with "sqlite:", "postgres://", "mysql://" or "mariadb://"',
  ],
  ["[database]\nurl = 1", "2:7-2:8 `database.url` must be text, not 1"],
  ["[database]\nmax_rows = 100001", "2:12-2:18 `database.max_rows` must be at most 100000, not 100001"],
  ["[database]\nmax_rows = inf", "2:12-2:15 `database.max_rows` must be a number, not Infinity"],
];

const badPaths = [
  "~/.bashrc",
  "/etc/passwd",
  "storage/../x.jsonl",
  "../storage/a.jsonl",
  "storage",
  "storage/",
  "storage/a",
  "storage//a.jsonl",
  "storage/./a.jsonl",
  "storage/.../a.jsonl",
  "storage\\a.jsonl",
  "C:/storage/a.jsonl",
  "storage/a:b.jsonl",
  "storage/{user}/a.jsonl",
  "storage/a./b.jsonl",
  "storage/a b.jsonl",
  "Storage/a.jsonl",
  "./storage/a.jsonl",
  "storage/a.jsonl/",
  "storage/$HOME/a.jsonl",
];

const badToml: readonly Row[] = [
  ["[chain]\nenabled = tru", '2:11-2:12 not TOML: invalid value (put text in double quotes: "…")'],
  ["[chain]\nenabled = True", "2:11-2:12 not TOML: invalid value (write `true` or `false`)"],
  ["[chain]\nenabled: true", "2:8-2:9 not TOML: illegal character in key (write `key = value`)"],
  ["[chain]\n// x", "2:1-2:2 not TOML: illegal character in key (a comment begins with #)"],
  [
    "[chain]\nenabled = true\nenabled = false",
    "3:1-3:2 not TOML: trying to redefine an already defined table or value (set each key and each table once)",
  ],
  [
    "[chain]\n[chain]",
    "2:2-2:3 not TOML: trying to redefine an already defined table or value (set each key and each table once)",
  ],
  [
    "[chain]\noptions.quota = { calls = 1, calls = 2 }",
    "2:30-2:31 not TOML: trying to redefine an already defined value (set each key and each table once)",
  ],
  ["[chain]\nenabled =", "2:10-2:11 not TOML: invalid value"],
  [
    '[database]\nurl = "sqlite:x\nmax_rows = 1',
    "2:16-2:17 not TOML: control characters are not allowed in strings",
  ],
  ["a = 1 b = 2", "1:7-1:8 not TOML: each key-value declaration must be followed by an end-of-line"],
  [
    '{ "chain": {} }',
    "1:1-1:2 not TOML: illegal character in key (name a file of JSON `gateway-hooks.json`)",
  ],
  ["version = 1\r\n[chain\r\n", "2:7-2:8 not TOML: illegal character in key"],
];

const badJson: readonly Row[] = [
  ["", "1:1-1:1 not JSON: the document ends where a value is expected"],
  ["{", "1:2-1:2 not JSON: a key in double quotes is expected here"],
  ['{"chain": {"enabled": tru}}', "1:23-1:24 not JSON: a value is expected here"],
  ['{"version": 1,}', "1:15-1:16 not JSON: a key in double quotes is expected here"],
  ['{"version": 01}', "1:14-1:15 not JSON: not a number"],
  ['{"version": 1} x', "1:16-1:17 not JSON: unexpected text after the end of the document"],
  ['{"version" 1}', "1:12-1:13 not JSON: a colon is expected here"],
  ['{\n  "version": 1\n  "chain": {}\n}', "3:3-3:4 not JSON: a comma or `}` is expected here"],
  ["{\n  // x\n}", "2:3-2:4 not JSON: a key in double quotes is expected here"],
  ['{"version": /* x */ 1}', "1:13-1:14 not JSON: JSON has no comments"],
  ['{"version": 1, "version": 1}', "1:16-1:25 not JSON: `version` is set twice"],
  [
    '{"database": {"url": "sqlite:\n"}}',
    "1:22-1:30 not JSON: this string has no end, or holds a character that must be escaped",
  ],
  ['{"a": "\\x"}', "1:7-1:12 not JSON: this string has no end, or holds a character that must be escaped"],
  ["[]", "1:1-1:1 the document must be a table, not a list"],
  ["null", "1:1-1:1 the document must be a table, not null"],
  ['{"chian": {}}', "1:2-1:9 unknown key `chian` (did you mean `chain`?)"],
  [
    '{\r\n\t"chain": {\r\n\t\t"enabled": "no"\r\n\t}\r\n}',
    '3:14-3:18 `chain.enabled` must be true or false, not the text "no" (write false)',
  ],
  ['\ufeff{"version": 2}', "1:13-1:14 `version` must be 1, not 2"],
  ['{"chain": null}', "1:11-1:15 `chain` must be a table, not null"],
  [
    '{"chain": {"order": ["😀", "quota"]}}',
    '1:22-1:26 `chain.order[0]` must be one of "path_allowlist", "read_only", "destructive_sql", "shell", "self_protection", "egress", "quota", "row_limit", not the text "😀"',
  ],
  ['{"__proto__": {"a": 1}}', "1:2-1:13 unknown key `__proto__`"],
  [
    '{"audit": {"path": "~/.bashrc"}}',
    '1:20-1:31 `audit.path` must lie in the storage folder and end in .jsonl, like "storage/{profile}/audit.jsonl", not the text "~/.bashrc"',
  ],
  ["[".repeat(100), "1:66-1:67 not JSON: nested deeper than 64 levels"],
];

describe("a mistake is named at its place", () => {
  test.each(unknownKeys)("unknown key %j", (text, ...expected) => {
    expect(problems(text, "toml")).toEqual(expected);
  });
  test.each(wrongValues)("wrong value %j", (text, ...expected) => {
    expect(problems(text, "toml")).toEqual(expected);
  });
  test.each(badToml)("not TOML %j", (text, ...expected) => {
    expect(problems(text, "toml")).toEqual(expected);
  });
  test.each(badJson)("not JSON %j", (text, ...expected) => {
    expect(problems(text, "json")).toEqual(expected);
  });
  test.each(badPaths)("audit.path %j", (path) => {
    const quoted = JSON.stringify(path);
    expect(problems(`[audit]\npath = ${quoted}`, "toml")).toEqual([
      `2:8-2:${8 + quoted.length} \`audit.path\` must lie in the storage folder and end in .jsonl, like "storage/{profile}/audit.jsonl", not the text ${quoted}`,
    ]);
  });
});

describe("limits", () => {
  test("a file over 1 MiB is refused, one of exactly that size is read", () => {
    const text = (size: number) => `#${"x".repeat(size - 1)}`;
    expect(problems(text(MAX_CONFIG_SIZE + 1), "toml")).toEqual(["1:1-1:1 the file is larger than 1 MiB"]);
    expect(problems(text(MAX_CONFIG_SIZE), "toml")).toEqual([]);
  });
  const full = (count: number) => Array.from({ length: count }, (_, i) => `k${i} = ${i}`).join("\n");
  test("a file full of mistakes gives the first 100 in the order of the text", () => {
    const found = problems(full(5000), "toml");
    expect(found.length).toBe(100);
    expect(found[99]).toMatch(/^100:1-100:4 /u);
  });
  test("a huge file full of mistakes is told in time that grows with it, places or not", () => {
    const costs = [35_000, 70_000].map((lines) => {
      const before = process.cpuUsage();
      const found = problems(full(lines), "toml");
      expect(found.length).toBe(100);
      expect(found[0]).toMatch(/^1:1-1:\d+ unknown key `k0`/u);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    expect(costs[1]).toBeLessThan((costs[0] ?? 0) * 2 * 3);
  });
  test("a database URL's password is in no message", () => {
    expect(problems('[database]\nurl = "oracle://u:hunter2@h/d"', "toml").join()).not.toContain("hunter2");
  });
});

describe("replacements can be put in place of the range and mend the file", () => {
  const rows: readonly (readonly [ConfigFormat, string, string])[] = [
    ["toml", "[chain]\nenabeld = true", "[chain]\nenabled = true"],
    ["toml", '[chain]\n"enabeld" = true', "[chain]\nenabled = true"],
    ["toml", '[chain]\nenabled = "yes"', "[chain]\nenabled = true"],
    ["toml", '[chain]\npath_allowlist_extra = "/srv"', '[chain]\npath_allowlist_extra = ["/srv"]'],
    ["toml", '[chain.options.quota]\nper = "hours"', '[chain.options.quota]\nper = "hour"'],
    ["toml", '[chain.options.quota]\ncalls = "7"', "[chain.options.quota]\ncalls = 7"],
    ["json", '{"chian": {}}', '{"chain": {}}'],
    ["json", '{"chain": {"enabled": 0}}', '{"chain": {"enabled": false}}'],
  ];
  test.each(rows)("%s %j", (format, text, mended) => {
    const result = parseConfig({ text, file: "f", format });
    if (result.ok) throw new Error("the row has no mistake");
    const [problem] = result.problems;
    const lines = text.split("\n");
    const line = lines[(problem?.line ?? 0) - 1] ?? "";
    lines[(problem?.line ?? 0) - 1] =
      line.slice(0, (problem?.column ?? 0) - 1) +
      problem?.replacement +
      line.slice((problem?.endColumn ?? 0) - 1);
    expect(lines.join("\n")).toBe(mended);
    expect(parseConfig({ text: mended, file: "f", format }).ok).toBe(true);
  });
});
