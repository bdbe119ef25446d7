/** Secrets known by the words before them: command-line flags, headers, SQL. As data; every pattern is bounded. */

export interface SecretContext {
  readonly type: string;
  readonly gate: RegExp;
  /** The secret is group 1. */
  readonly pattern: RegExp;
  readonly accept?: (secret: string) => boolean;
}

const WORD = `("[^"\\n]{0,256}"|'[^'\\n]{0,256}'|[^\\s"';|&]{1,256})`;

export const SECRET_CONTEXTS: readonly SecretContext[] = [
  {
    type: "authorization",
    gate: /bearer/i,
    // English goes on after the word: "bearer tokens".
    pattern:
      /(?<![A-Za-z0-9_-])bearer[ \t]{1,4}(?!(?:tokens?|auth\w*|schemes?|headers?|formats?|realm|credentials?|and|or|is|in|the|of|for|with|to|was|must|should|not|based|type)\b)([A-Za-z0-9._~+/=-]{6,8192})/gi,
  },
  {
    type: "authorization",
    gate: /basic/i,
    pattern: /(?<![A-Za-z0-9_-])basic[ \t]{1,4}([A-Za-z0-9+/]{4,4096}={0,2})/gi,
    accept: isUserAndPassword,
  },
  {
    type: "flag",
    gate: /curl|wget|http/i,
    pattern:
      /(?<![\w-])(?:-u|-U|--user|--proxy-user|--auth|-a)[ =]{1,4}["']?(?!\d{1,6}:\d)[^\s:"'/]{1,128}:([^\s"']{1,256})/g,
  },
  {
    type: "flag",
    gate: /mysql|mariadb|7z/,
    pattern: new RegExp(`\\b(?:mysql|mariadb|7z)[a-z-]{0,12}\\b[^\\n|;&]{0,200}?\\s-p(?=\\S)${WORD}`, "g"),
  },
  {
    type: "flag",
    gate: /sshpass|login|mongo|zip/,
    pattern: new RegExp(
      `\\b(?:sshpass|(?:docker|podman|helm|az|oc|skopeo|buildah|registry) login|mongo\\w{0,8}|zip|unzip)\\b[^\\n|;&]{0,200}?\\s-[pP][ =]{0,4}${WORD}`,
      "g",
    ),
  },
  {
    type: "flag",
    gate: /redis-cli|ldap|smbclient/,
    pattern: new RegExp(
      `\\b(?:redis-cli\\b[^\\n|;&]{0,200}?\\s-a|ldap\\w{1,12}\\b[^\\n|;&]{0,200}?\\s-w) {0,4}${WORD}`,
      "g",
    ),
  },
  { type: "flag", gate: /pass:/, pattern: /(?<![A-Za-z0-9])pass:([^\s"';|&]{1,256})/g },
  {
    type: "password",
    gate: /identified/i,
    pattern:
      /\bidentified\s{1,8}(?:with\s{1,8}\S{1,64}\s{1,8})?(?:by|as)\s{1,8}(?:password\s{1,8})?('(?:[^'\\]|\\.|''){0,512}'?|"(?:[^"\\]|\\.|""){0,512}"?)/gi,
  },
  {
    type: "password",
    gate: /password\s{0,4}\(/i,
    pattern: /\bpassword\s{0,4}\(\s{0,4}('(?:[^'\\]|\\.|''){0,512}'?)/gi,
  },
  {
    type: "password",
    gate: /\blogin\s/i,
    pattern: /\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(\S{1,256})/gi,
  },
  {
    type: "config",
    gate: /\b(?:set|configure|config)\b/,
    pattern: new RegExp(
      `\\b(?:configure|config) set \\S{0,64}(?:secret|token|password|passwd|apikey|api[_-]key|auth)\\w{0,32}[ =]{1,4}${WORD}`,
      "gi",
    ),
  },
];

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const MAX_DECODED = 400;

/** "Basic usage" is English; base64 of `user:password` is not. */
function isUserAndPassword(token: string): boolean {
  const digits = token.replace(/=+$/, "").slice(0, MAX_DECODED);
  let hasColon = false;
  for (let i = 0; i + 1 < digits.length; i += 1) {
    // Every fourth digit begins three bytes; the byte at digit i takes 6, 4 or 2 bits of it.
    const phase = i % 4;
    if (phase === 3) continue;
    const pair = (BASE64.indexOf(digits[i] ?? "A") << 6) | BASE64.indexOf(digits[i + 1] ?? "A");
    const byte = (pair >> (4 - phase * 2)) & 0xff;
    if (byte < 0x20 || byte > 0x7e) return false;
    if (byte === 0x3a) hasColon = true;
  }
  return hasColon;
}
