/** Secrets known by the words before them: command-line flags, headers, SQL. As data; every pattern is bounded. */

export interface SecretContext {
  readonly type: string;
  readonly gate: RegExp;
  /** The secret is the group that matched, and the match ends with it. */
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
    gate: /-(?:u|U|a|user|auth)[ =]{1,4}["']?[^\s:"'/]{1,128}:/,
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
    gate: /sshpass|login |mongo/,
    pattern: new RegExp(
      `\\b(?:sshpass|(?:docker|podman|helm|az|oc|skopeo|buildah|registry) login|mongo\\w{0,8})\\b[^\\n|;&]{0,200}?\\s-[pP][ =]{0,4}${WORD}`,
      "g",
    ),
  },
  {
    type: "flag",
    gate: /redis-cli|ldap/,
    pattern: new RegExp(
      `\\b(?:redis-cli\\b[^\\n|;&]{0,200}?\\s-a|ldap\\w{1,12}\\b[^\\n|;&]{0,200}?\\s-w) {0,4}${WORD}`,
      "g",
    ),
  },
  {
    type: "flag",
    gate: /zip |sqlcmd|osql |isql |tsql |bcp |ssh-keygen/,
    pattern: new RegExp(
      `\\b(?:(?:zip|unzip|sqlcmd|osql|isql|tsql|bcp)\\b[^\\n|;&]{0,200}?\\s-P|ssh-keygen\\b[^\\n|;&]{0,200}?\\s-[NP])[ =]{0,4}${WORD}`,
      "g",
    ),
  },
  {
    type: "password",
    gate: /requirepass|masterauth|@(?:tcp|unix|udp)\(/,
    pattern:
      /(?:\b(?:requirepass|masterauth)[ \t]{1,4}["']?([^\s"']{1,256})|(?<![\w.-])[\w.-]{1,64}:([^\s@"'/]{1,256})(?=@(?:tcp|unix|udp)\())/g,
  },
  {
    type: "flag",
    gate: /mc alias|htpasswd -|net user| auth | authtoken | add-authtoken | login /,
    pattern:
      /(?:\bmc alias set \S{1,128} \S{1,256} \S{1,128} |\bhtpasswd -[a-zA-Z]{0,8}b[a-zA-Z]{0,8} \S{1,256} \S{1,128} |\bnet user \S{1,128} (?=[^\n]{1,200}\/add)|\b(?:snyk|ngrok|doppler|netlify|railway|sentry-cli)\b[^\n|;&]{0,40} (?:auth|authtoken|add-authtoken|login) )(?![-/*$])["']?([^\s"']{6,256})/g,
  },
  {
    type: "password",
    gate: /\b(?:attach|pragma)\b/i,
    pattern: /\b(?:attach\b[^;\n]{1,400}?\bkey|pragma (?:hex)?(?:re)?key)\s{0,4}=?\s{0,4}('[^'\n]{1,256}')/gi,
  },
  {
    type: "flag",
    gate: /smbclient|rpcclient|net (?:rpc|ads|use|share)/,
    pattern:
      /\b(?:smbclient|rpcclient|net)\b[^\n|;&]{0,200}?\s-U[ =]{1,4}["']?[^\s%'"]{1,128}%([^\s"']{1,256})/g,
  },
  {
    type: "flag",
    gate: /setx\s/i,
    pattern: new RegExp(
      `\\bsetx\\s{1,4}\\w{0,64}(?:key|token|secret|pass|pwd|password)\\w{0,32}\\s{1,4}${WORD}`,
      "gi",
    ),
  },
  {
    type: "flag",
    gate: /SecureString/i,
    pattern: /\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?("[^"\n]{1,256}"|'[^'\n]{1,256}')/gi,
  },
  {
    type: "flag",
    gate: /<<</,
    pattern: new RegExp(
      `(?:token|passw?o?r?d?|secret|stdin|passphrase|-S)\\b[^\\n|;&<]{0,40}<<<\\s{0,4}${WORD}`,
      "gi",
    ),
  },
  {
    type: "flag",
    gate: /-stdin\b|with-token|passphrase-fd|sudo -S|chpasswd|kinit|cryptsetup/,
    pattern: new RegExp(
      `\\b(?:echo|printf)\\s{1,4}(?:-\\w{1,2}\\s{1,4})?(?:["']?%s(?:\\\\n)?["']?\\s{1,4})?${WORD}(?=\\s{0,4}\\|[^\\n|]{0,200}(?:-stdin\\b|with-token|passphrase-fd|sudo -S|chpasswd|kinit\\b|cryptsetup))`,
      "g",
    ),
  },
  {
    type: "flag",
    gate: /<\((?:echo|printf)/,
    pattern:
      /(?:pass|token|secret|key)[\w-]{0,20}[= ]{1,2}<\((?:echo|printf)\s{1,4}(?:-n\s{1,4})?(?:["']?%s["']?\s{1,4})?(["']?[^\s"')]{1,256}["']?)/gi,
  },
  {
    type: "flag",
    gate: /openssl /,
    pattern: new RegExp(
      `\\bopenssl (?:enc|aes|des|aria|camellia|chacha)[^\\n|;&]{0,200}?\\s-[kK]\\s{1,4}${WORD}`,
      "g",
    ),
  },
  {
    type: "cookie",
    gate: / -b[ ='"]/,
    // Without `=` it names a file.
    pattern:
      /\b(?:curl|https?|xh)\b[^\n|;&]{0,200}?\s-b[ =]{0,4}("[^"\n]{1,4096}"|'[^'\n]{1,4096}'|[^\s"';|&]{1,4096})/g,
    accept: (secret) => secret.includes("="),
  },
  {
    type: "signature",
    gate: /[?&;](?:sig|X-)/i,
    pattern:
      /[?&;](?:sig|signature|sas|hmac|X-(?:Amz|Goog)-Signature|X-Amz-Security-Token)=([A-Za-z0-9%+/=_-]{16,4096})/gi,
  },
  {
    type: "authorization",
    gate: /digest\s/i,
    pattern: /\bdigest\s[^\n]{0,400}?response=\\?"([a-f0-9]{32,128})/gi,
  },
  {
    type: "call",
    gate: /crypt(?:_bytea|_iv)?\s{0,4}\(/i,
    pattern:
      /(?<![A-Za-z0-9])(?:pgp_sym_(?:en|de)crypt(?:_bytea)?|aes_(?:en|de)crypt|(?:en|de)crypt(?:_iv)?)\s{0,4}\([^()'"\n]{0,200},\s{0,4}('[^'\n]{1,256}')/gi,
  },
  {
    type: "call",
    gate: /(?:set|change|update|use|with)_?(?:password|passphrase|secret|token|api_?key)/i,
    pattern:
      /(?<![A-Za-z0-9])(?:set|change|update|use|with)_?(?:password|passphrase|secret|token|api_?key)\s{0,4}\(\s{0,4}("[^"\n]{1,256}"|'[^'\n]{1,256}')(?=\s{0,4}\))/gi,
  },
  {
    type: "password",
    gate: /oracle|sqlplus|sqlldr|expdp|impdp/i,
    pattern:
      /(?<![A-Za-z0-9])(?:jdbc:oracle:\w{2,8}:|(?:sqlplus|sqlldr|expdp|impdp|exp|imp|rman)\s[^\n|;&]{0,60}?)[\w$#.-]{1,64}\/([^\s@"'/]{1,128})(?=@)/gi,
  },
  {
    type: "password",
    gate: /\d:[^:\s]{1,64}:[^:\s]{1,64}:/,
    // A line of `.pgpass`.
    pattern: /^[\w.*-]{1,128}:(?:\d{3,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:(\S{1,256})$/gm,
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
    gate: /config(?:ure)? set /,
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
