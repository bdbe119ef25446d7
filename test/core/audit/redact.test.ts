import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText, type Json, toRecordable } from "../../../src/core/audit/canonical";
import { createRedactor } from "../../../src/core/audit/redact";
import { secretKeys } from "../../../src/core/audit/secretKeys";
import { redactText } from "../../../src/core/audit/secretText";

const names = secretKeys();
const clean = (text: string): string => redactText(text, names).text;
// Put together here, so that no scanner takes this file for a leak.
const a = (n: number): string =>
  "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".slice(0, n);
const hex = (n: number): string => "0123456789abcdef".repeat(8).slice(0, n);

/** The text, and the part of it that must not survive. */
const secrets: readonly [string, string][] = [
  [`key AKIA${"IOSFODNN7SAMPLE2"} end`, "IOSFODNN7SAMPLE2"],
  [`git clone with ghp_${a(36)}`, a(36)],
  [`github_pat_${a(22)}_${a(40)}`, a(40)],
  [`glpat-${a(20)}`, a(20)],
  [`xoxb-123456789012-${a(24)}`, a(24)],
  [`https://hooks.slack.com/services/T00000000/B00000000/${a(24)}`, a(24)],
  [`sk_live_${a(24)}`, a(24)],
  [`OPENAI sk-proj-${a(40)}`, a(40)],
  [`sk-ant-api03-${a(60)}`, a(60)],
  [`AIza${a(35)}`, a(35)],
  [`ya29.${a(60)}`, a(60)],
  [`npm_${a(36)}`, a(36)],
  [`hf_${a(34)}`, a(34)],
  [`SG.${a(22)}.${a(43)}`, a(43)],
  [`dop_v1_${hex(64)}`, hex(64)],
  [`hvs.${a(40)}`, a(40)],
  [`shpat_${hex(32)}`, hex(32)],
  [`123456789:AA${a(33)}`, a(33)],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${a(43)}`, "eyJzdWIiOiIxIn0"],
  [`-----BEGIN RSA PRIVATE KEY-----\nMIIE${a(60)}\n-----END RSA PRIVATE KEY-----`, a(60)],
  [`-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl${a(60)}`, a(60)],
  [`Authorization: Bearer ${a(20)}`, a(20)],
  ["curl -H 'Authorization: Basic dXNlcjpwYXNz' https://h.example", "dXNlcjpwYXNz"],
  [`the server said: Bearer ${a(30)} is expired`, a(30)],
  ["postgres://app:s3cr3t@db.example/app", "s3cr3t"],
  ["postgres://app:p@ss/w0rd@db.example/app", "w0rd"],
  ["redis://:hunter2@cache.example:6379/0", "hunter2"],
  ["https://user:hunter2@h.example/path?x=1", "hunter2"],
  ["mysql --user=root --password=hunter2 app", "hunter2"],
  ["tool --password hunter2 --verbose", "hunter2"],
  ["tool --api-key 'hunter two' --verbose", "hunter two"],
  ["PGPASSWORD=hunter2 psql -h db", "hunter2"],
  ["export MYSQL_PWD='hunter 2'; mysql", "hunter 2"],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY aws s3 ls", "wJalrXUtnFEMI"],
  ["docker run -e MYSQL_ROOT_PASSWORD=hunter2 -d mariadb", "hunter2"],
  ["mysql -u root -phunter2 app", "hunter2"],
  ["sshpass -p hunter2 ssh host", "hunter2"],
  ["curl -u admin:hunter2 https://h.example", "hunter2"],
  ["redis-cli -h cache -a hunter2 ping", "hunter2"],
  ["docker login -u me -p hunter2 registry.example", "hunter2"],
  ['{"password":"hunter2","user":"me"}', "hunter2"],
  ['{\\"clientSecret\\":\\"hunter2\\"}', "hunter2"],
  ["{'api_key': 'hunter2'}", "hunter2"],
  ["password: hunter2", "hunter2"],
  ["spring.datasource.password=hunter2", "hunter2"],
  ["Server=db;User Id=sa;Password=hunter2;Encrypt=true", "hunter2"],
  ["AccountName=x;AccountKey=aGVsbG8rd29ybGQ9PQ==;Suffix=y", "aGVsbG8"],
  ["GET /cb?access_token=hunter2&x=1", "hunter2"],
  ["CREATE USER bob IDENTIFIED BY 'hunter2'", "hunter2"],
  ["ALTER ROLE bob WITH PASSWORD 'hunter2'", "hunter2"],
  ["SET PASSWORD FOR bob = PASSWORD('hunter2')", "hunter2"],
  ["UPDATE users SET password = 'hunter2' WHERE id = 1", "hunter2"],
  ["machine h login me password hunter2", "hunter2"],
  ["Cookie: sid=abcdef; theme=dark", "abcdef"],
  ['curl -H "X-Api-Key: hunter2" https://h.example', "hunter2"],
  ["//registry.example/:_authToken=hunter2", "hunter2"],
  ["aws configure set aws_secret_access_key hunter2", "hunter2"],
  ["openssl rsa -passin pass:hunter2 -in k.pem", "hunter2"],
  ['PGPASSWORD=hun"ter"2 psql', "ter"],
  ['const apiKey = "hunter2";', "hunter2"],
  ["connect failed: password=hunter2, retrying", "hunter2"],
  // Spelt otherwise.
  ['{"pass\\u0077ord":"hunter2x"}', "hunter2x"],
  [
    `https://h.example/?q=%67%68%70%5f${[...a(36)].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("")}`,
    "%61%42",
  ],
  [`printf '\\x67\\x68\\x70\\x5f${a(36)}'`, a(36)],
  [`TOKEN='${a(20)}''${a(16)}'`, a(16)],
  [`echo ${btoa("PASSWORD=hunter2&3xyz")} | base64 -d`, btoa("PASSWORD=hunter2&3xyz").slice(0, 20)],
  [`echo ${btoa(`ghp_${a(36)}`)}`, btoa(`ghp_${a(36)}`).slice(0, 30)],
  [`data=${btoa(`{"user":"me","password":"hunter2 x"}`)}`, btoa('{"user":"me","pass').slice(0, 20)],
  [`xxd -r -p <<< ${[...`ghp_${a(36)}`].map((c) => c.charCodeAt(0).toString(16)).join("")}`, "6768705f6142"],
  [`call xghp_${a(36)}`, a(36)],
  [`x-ghp_${a(36)}`, a(36)],
  [`/x/my_ghp_${a(36)}_file`, a(36)],
  ["openssl enc -aes-256-cbc -k hunter2x -in a", "hunter2x"],
  ["curl -b 'session=hunter2&3xyz' https://h.example", "hunter2"],
  [`MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n${a(60)}\n${a(40)}`, a(40)],
  [`MHcCAQEEI${a(60)}`, a(60)],
];

const harmless: readonly string[] = [
  "SELECT id, password_hash FROM users WHERE id = 1",
  "max_tokens: 4096",
  '{"max_tokens":4096,"token_count":12}',
  "prompt_tokens=120 completion_tokens=30 total_tokens=150",
  "The password is wrong",
  "token expired",
  "bearer tokens are sent in a header",
  "basic authentication is off",
  "Basic usage of the tool",
  "basic JavaScript and Basic Authentication",
  "password = getPassword()",
  "token: string",
  "password: str = None",
  "PGPASSWORD=$PGPASSWORD psql",
  "PGPASSWORD=\u0024{DB_PASSWORD} psql",
  "password: \u0024{{ secrets.DB_PASSWORD }}",
  "api_key: <your key>",
  "api_key=process.env.API_KEY",
  "postgres://app:\u0024{PASSWORD}@db.example/app",
  "postgres://app:****@db.example/app",
  "http://localhost:8080/path@2x.png",
  "https://h.example/user@host/x:y@z",
  "git@github.com:me/repo.git",
  "npm_config_registry=https://r.example",
  "curl -b cookies.txt https://h.example",
  "openssl req -new -key server.key -k",
  `SELECT 'it''s', "a""b"`,
  "https://h.example/?q=100%25%20of%20tokens",
  `echo ${btoa("a page of ordinary text without anything in it")}`,
  `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${a(40)}`,
  "pwd: /home/me",
  "cat secrets/readme.md",
  "git commit -m 'rotate the api key'",
  "primary_key=id",
  "public_key=abc",
  "cache_key: users:1",
  "sort key = name",
  "keyboard=us",
  "author: Ada Lovelace",
  "authorize()",
  "tokenizer = cl100k",
  "token_type=bearer_v2",
  "password_file=/run/secrets/db",
  "secret_name: db-main",
  "docker run -u 1000:1000 image",
  "mysql -P 3306 -h db",
  "mysql --port=3306",
  "sk-learn and sk-image are libraries",
  "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "commit 4ef64a156cafb86c2e9fed99f08bd9bb880167674",
  "uuid 550e8400-e29b-41d4-a716-446655440000",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
  "AKIA is how a key starts",
  `AKIA${"IOSFODNN7EXAMPLE"} is the one of the manual`,
  "ghp_short",
  "eyJ is how a token starts",
  "if (password === other) return",
  "SELECT token::text FROM t",
  "nextPageToken=CAUQAA",
];

describe("secrets in texts", () => {
  test.each(secrets)("%s", (text, secret) => {
    const out = clean(text);
    expect(out).not.toContain(secret);
    expect(out).toMatch(/\[REDACTED:[a-z-]+:\d+\]/);
    expect(clean(out), "a second pass changes nothing").toBe(out);
  });

  test("what stands around them is kept", () => {
    expect(clean("psql postgres://app:s3cr3t@db.example/app -c 'SELECT 1'")).toBe(
      "psql postgres://app:[REDACTED:url-password:6]@db.example/app -c 'SELECT 1'",
    );
    expect(clean('curl -H "X-Api-Key: hunter2" https://h.example/a')).toBe(
      'curl -H "X-Api-Key: [REDACTED:key:7]" https://h.example/a',
    );
    expect(clean("DB_PASSWORD=x1 API_TOKEN=y2 run --fast")).toBe(
      "DB_PASSWORD=[REDACTED:password:2] API_TOKEN=[REDACTED:token:2] run --fast",
    );
  });
});

describe("look-alikes in texts", () => {
  test.each(harmless)("%s", (text) => {
    expect(clean(text)).toBe(text);
  });
});

const hidden =
  `api_key apiKey APIKEY api-key X-Api-Key password PASSWORD dbPassword db_password userpassword passwd PGPASSWORD pwd
  passphrase token access_token accessToken refreshToken githubToken GITHUB_TOKEN id_token secret client_secret clientSecret
  secretKey secret_access_key AWS_SECRET_ACCESS_KEY authorization Authorization proxy-authorization bearer bearer_token credential
  credentials private_key privateKey ssh_key session_key sessionKey cookie Cookie set-cookie jwt auth pass signing_key
  encryptionKey account_key password2 password_confirmation tokens api_keys`
    .split(/\s+/)
    .concat("API KEY", "api.key");
const shown =
  `token_count tokenCount max_tokens maxTokens num_tokens prompt_tokens total_tokens token_type token_limit tokenizer
  password_length password_policy passwordless secret_name secretName author authority key public_key primaryKey foreign_key
  keyboard monkey cache_key sort_key page_token nextPageToken session_id sessionId tool path sql user username email
  compass passenger bypass accountId keyName cookie_policy token_url credentials_file`.split(/\s+/);

describe("fields by name", () => {
  const redactor = createRedactor();
  const one = (key: string, value: Json): Json => redactor.value({ [key]: value }, "args").value;

  test.each(hidden)("%s is hidden", (key) => {
    expect(one(key, "some value")).toEqual({ [key]: "[REDACTED]" });
  });
  test.each(shown)("%s is shown", (key) => {
    expect(one(key, "some value")).toEqual({ [key]: "some value" });
  });

  test.each<[string, Json, Json]>([
    ["at any depth", { a: [{ b: { password: "x" } }] }, { a: [{ b: { password: "[REDACTED]" } }] }],
    ["a whole structure", { credentials: { user: "u", pass: "p" } }, { credentials: "[REDACTED]" }],
    ["a list", { secrets: ["a", "b"] }, { secrets: "[REDACTED]" }],
    ["a number", { password: 1234 }, { password: "[REDACTED]" }],
    [
      "numbers of tokens",
      { tokens: 12, usage: { tokens: { input: 1 } } },
      { tokens: 12, usage: { tokens: { input: 1 } } },
    ],
    [
      "nothing to hide",
      { password: null, token: "", secret: true },
      { password: null, token: "", secret: true },
    ],
    ["the working directory", { pwd: "/home/me" }, { pwd: "/home/me" }],
    [
      "named by its neighbour",
      { headers: [{ name: "Authorization", value: "x y" }] },
      { headers: [{ name: "Authorization", value: "[REDACTED]" }] },
    ],
    ["an argument list", ["--password", "x1", "--fast"], ["--password", "[REDACTED]", "--fast"]],
    ["a flag without value", ["--password", "--fast"], ["--password", "--fast"]],
    [
      "a command's arguments",
      ["curl", "-u", "bob:Tr0ub4dor&3 xyz", "https://h.example"],
      ["curl", "-u", "bob:[REDACTED:flag:15]", "https://h.example"],
    ],
    ["a value glued to its flag", ["mysql", "-pTr0ub4dor&3"], ["mysql", "-p[REDACTED:flag:11]"]],
    [
      "a setting among arguments",
      ["docker", "run", "-e", "DB_PASSWORD=a b;c"],
      ["docker", "run", "-e", "DB_PASSWORD=[REDACTED:password:5]"],
    ],
    ["no command", ["please use -u bob:hunter22 now", "b"], ["please use -u bob:[REDACTED:flag:8] now", "b"]],
    ["names of columns", ["password", "email"], ["password", "email"]],
    [
      "entries of a map",
      [
        ["user", "a"],
        ["password", "x1"],
      ],
      [
        ["user", "a"],
        ["password", "[REDACTED]"],
      ],
    ],
    [
      "named by an id",
      {
        fields: [
          { id: "password", value: "x y" },
          { id: "user", value: "bob" },
        ],
      },
      {
        fields: [
          { id: "password", value: "[REDACTED]" },
          { id: "user", value: "bob" },
        ],
      },
    ],
    [
      "typed into a field",
      { element: "Password field", text: "x y" },
      { element: "Password field", text: "[REDACTED]" },
    ],
    [
      "typed into another field",
      { element: "Search box", text: "x y" },
      { element: "Search box", text: "x y" },
    ],
    [
      "filled in by selector",
      { selector: "#login-password-input", value: "x y" },
      { selector: "#login-password-input", value: "[REDACTED]" },
    ],
    [
      "another selector",
      { selector: "form.token-form #user", value: "bob" },
      { selector: "form.token-form #user", value: "bob" },
    ],
    ["a form's field", { field: "password", text: "x y" }, { field: "password", text: "[REDACTED]" }],
    ["a short pair", { k: "password", v: "x y" }, { k: "password", v: "[REDACTED]" }],
    [
      "a file named after secrets",
      { name: "secrets.ts", text: "let a = 1" },
      { name: "secrets.ts", text: "let a = 1" },
    ],
    ["a secret as a key", { [`ghp_${a(36)}`]: 1 }, { "[REDACTED:github:40]": 1 }],
  ])("%s", (_name, value, expected) => {
    expect(redactor.value(value, "args").value).toEqual(expected);
  });

  test("what was taken out is listed by place and size, never by content", () => {
    const { redactions } = redactor.value({ env: { API_KEY: "hunter2" }, cmd: "x --token hunter2" }, "args");
    expect(redactions).toEqual([
      { path: "args.env.API_KEY", type: "key", len: 7 },
      { path: "args.cmd", type: "token", len: 7 },
    ]);
  });
});

describe("time is linear in what the agent writes", () => {
  const units = [
    "a",
    "password",
    "password=",
    "pass",
    "://",
    "://a:",
    "://a:b@",
    "@",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "eyJa.",
    "eyJaaaaaa.eyJ",
    "mysql ",
    "mysql -p",
    "curl -u ",
    "identified ",
    "identified by '",
    "bearer ",
    "basic ",
    "login x password ",
    '\\"',
    "'",
    "token: ",
    "sk-",
    "sk-a",
    "ghp_",
    "AKIA",
    "config set ",
    "sshpass ",
    '{"secret":',
    "$",
    "${",
    "--password ",
    "zip ",
    "xox",
    "key key ",
    "aB",
    ":AA",
    "Authorization: ",
    "token=\\",
    "ya29.",
    ".atlasv1.",
    "glc_",
    "password(",
    "password\t",
    "-a ",
    "ssn-",
    "pass:",
    "[REDACTED:key:3]token=x ",
    "[REDACTED]",
    "\u{1f600}",
    // Names that announce a secret over and over, with one long word behind each of them.
    "=-passw",
    "key://",
    "--:key",
    ":key",
    "=key",
    "passw:",
    "xoxb-1://password",
    "Basic''pass=",
    "password%41=%}",
    "%70assword=",
    "a''key=",
    "\\u0061=key",
    "cGFzc3dvcmQ9",
    "6b65793d6b65793d6b65793d ",
    "-eyJ",
    "-sk-a",
    "token:])",
    "key=[",
    "key='",
    '="\\key',
    "<key></k",
    "name=xkey value=",
    "xkey: |\n  ",
    "openssl enc ",
    "curl -b a",
    "MIIaaaIBADAN",
  ];
  test.each(units)("%j over and over", (unit) => {
    /** Milliseconds of the thread's own time, so that other programs on the machine do not count. */
    const time = (size: number, rounds: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 3; i += 1) {
        const started = process.threadCpuUsage();
        for (let n = 0; n < rounds; n += 1) clean(text);
        best = Math.min(best, process.threadCpuUsage(started).user / 1000);
      }
      return best;
    };
    const small = time(8 * 1024, 8);
    const large = time(64 * 1024, 1);
    // The same amount of text: linear is 1, quadratic is 8. Short times are noise.
    expect(
      large < 50 || large / small < 3,
      `8 x 8 KiB ${small.toFixed(1)} ms, 64 KiB ${large.toFixed(1)} ms`,
    ).toBe(true);
    expect(large, "64 KiB in milliseconds").toBeLessThan(150);
  });

  test("a text over the cap is replaced whole, not written unread", () => {
    const text = `${"x".repeat(70_000)} password=hunter2`;
    expect(clean(text)).toBe(`[REDACTED:unscanned:${text.length}]`);
  });
});

/** Texts in which a marker stands where a secret would, or beside one. */
const marked: readonly [string, string][] = [
  ["password:[REDACTED:password:8]@", "password:[REDACTED:password:8]@"],
  ["password=[REDACTED],", "password=[REDACTED],"],
  ['{"password":[REDACTED:key:3]}', '{"password":[REDACTED:key:3]}'],
  ["token = ([REDACTED:token:5])!?", "token = ([REDACTED:token:5])!?"],
  ["--token [REDACTED:token:5][REDACTED:flag:1]", "--token [REDACTED:token:5][REDACTED:flag:1]"],
  ["pass:[REDACTED:flag:1]'[REDACTED:password:1]'", "pass:[REDACTED:flag:1]'[REDACTED:password:1]'"],
  ["postgres://app:[REDACTED:url-password:6]@@db", "postgres://app:[REDACTED:url-password:6]@@db"],
  ["curl -u a:[REDACTED:flag:7]; x", "curl -u a:[REDACTED:flag:7]; x"],
  ["Cookie: [REDACTED:cookie:9]; ", "Cookie: [REDACTED:cookie:9]; "],
  // What goes on behind a marker may be a secret; the length is that of all that was there.
  ["password=[REDACTED:key:3]hunter2", "password=[REDACTED:password:10]"],
  ["password=[REDACTED]hunter2", "password=[REDACTED:password:7]"],
  ["password='a [REDACTED:key:3] b'", "password='[REDACTED:password:7]'"],
  ["password=[REDACTED:key:999999999]x", "password=[REDACTED:password:999999999]"],
  // What only shows once there is a marker: the second half of the value.
  ["pass:`|w|", "pass:[REDACTED:flag:1][REDACTED:password:3]"],
  ["pw=://u:p@h1A&,@", "pw=[REDACTED:named:12]@"],
  ["pass:\\\n${nr|YQ", "pass:[REDACTED:flag:6]|YQ"],
];

describe("markers of an earlier pass", () => {
  test.each(marked)("%j", (text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(clean(expected)).toBe(expected);
  });

  const SIGNS = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n…。"];
  const before = [
    "password:",
    "password=",
    "--token ",
    "pass:",
    "x://u:",
    "curl -u a:",
    "Bearer ",
    "cookie: ",
    "",
  ];
  test.each(before)("behind %j, beside any two signs, one is a fixed point", (lead) => {
    for (const marker of ["[REDACTED]", "[REDACTED:password:8]"])
      for (const a of SIGNS)
        for (const b of SIGNS)
          for (const text of [`${lead}${marker}${a}${b}`, `${lead}${a}${marker}${b}`])
            expect(clean(text)).toBe(text);
  });

  test("a text that is longer with its markers than what is ever read is replaced whole", () => {
    const text = "a token=x ".repeat(6000);
    expect(clean(text)).toBe(`[REDACTED:unscanned:${text.length}]`);
  });

  const redactor = createRedactor();
  const key = `ghp_${a(36)}`;
  test.each<[string, Json]>([
    ["two fields whose names hold secrets", { "password=abc1234567": 1, "password=def1234567": 2 }],
    ["a name that reads otherwise without its secret", { "password=abc123456-count": "x" }],
    ["the same, of a neighbour", { name: "otp=abc-count", value: "x" }],
    ["a neighbour too long before, not after", { name: `password=${"a".repeat(300)}`, value: "x" }],
    ["a flag's value that looks like a flag", ["--token", `-----BEGIN PRIVATE KEY-----${key}`]],
  ])("%s", (_name, value) => {
    const once = redactor.value(value, "args").value;
    expect(redactor.value(once, "args").value).toEqual(once);
  });
});

test("law: redacting twice is redacting once, and never throws", () => {
  const redactor = createRedactor();
  const words = fc.constantFrom(
    "password",
    "=",
    ":",
    " ",
    '"',
    "'",
    "\\",
    "--token ",
    "[REDACTED]",
    "[REDACTED:key:3]",
    "://u:p@h",
    "Bearer ",
    "abc123",
    "\n",
    ",",
    "{",
    "}",
    "$X",
    "mysql -p",
    "pass:",
    "@",
    "`",
    "|",
    "(",
    "cookie",
    "-count",
    "curl -u a:",
    "login x password ",
    "setx X_TOKEN ",
    "token<<<",
    "requirepass ",
    " is ",
    "name: token\nvalue: ",
    "kind: Secret\ndata:\n k: ",
    "insert into t (password) values ('",
    "<password>",
    "</password>",
    "a_token ",
    "X_KEY=",
    "Q7w8E9r0T1y2U3",
    "password is ",
    "tokens: [",
    "secret: >-\n  ",
    "curl",
    "-u",
    "%70ass",
    "''",
    "word%3D",
    "\\u0070",
    "cGFzc3dvcmQ9aHVudGVyMng0",
    "ZHVtbXlkdW1teWR1bW15ZHVt",
    "6b65793d6b65793d6b65793d",
    "openssl enc -k ",
    "curl -b a=",
  );
  const text = fc
    .array(fc.oneof(words, fc.string({ maxLength: 4 })), { maxLength: 12 })
    .map((parts) => parts.join(""));
  const value = fc.letrec<{ v: unknown }>((tie) => ({
    v: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.dictionary(text, tie("v"), { maxKeys: 3 }),
      fc.array(tie("v"), { maxLength: 3 }),
      fc.array(text, { maxLength: 5 }).map((items) => ["curl", "-u", ...items]),
      fc.array(fc.tuple(text, text), { maxLength: 3 }),
      fc.record({ element: text, name: text, text, value: tie("v") }, { requiredKeys: [] }),
    ),
  })).v;
  fc.assert(
    fc.property(value, (sample) => {
      const once = redactor.value(toRecordable(sample), "args").value;
      expect(canonicalText(redactor.value(once, "args").value)).toBe(canonicalText(once));
    }),
    { numRuns: 1500 },
  );
});
