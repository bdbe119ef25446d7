/** Which names announce a secret, whatever their spelling: `api_key`, `apiKey`, `X-Api-Key`, `APIKEY`. Knows nothing of the text around them. */

const WORDS = new Set(
  `password passwords passwd passphrase passphrases passcode pwd pword secret secrets token tokens authorization bearer
   credential credentials creds cookie cookies jwt apikey apikeys authkey privatekey secretkey accesskey sessionkey
   totp otp mnemonic passwort kennwort wachtwoord contrasena motdepasse senha`.split(/\s+/),
);
/** As one run of letters: `dbpassword`, `githubtoken`, `PGPASSWORD`. */
const ENDINGS =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|secretkey|accesskey|sessionkey|credentials?|cookie)$/;
/** `<word> key` is a secret; `public key`, `primary key`, `cache key` are not. */
const KEY_KINDS = new Set(
  `api private secret access session signing signature encryption decryption ssh master auth account shared service
   storage symmetric deploy gpg pgp host hmac webhook consumer subscription admin app license licence`.split(
    /\s+/,
  ),
);
/** Only as the whole name. */
const WHOLE = new Set(["pass", "auth", "pw", "sid", "connect sid", "sessid", "phpsessid", "jsessionid"]);
/** Before a last word `pass` or `auth`: whose it is. */
const OWNERS = new Set(
  `db database smtp mail email user admin root http proxy ftp ldap redis mysql pg postgres mongo rabbitmq amqp sql jdbc
   keystore truststore cert ssl basic login sudo ssh vpn wifi npm config docker registry app my`.split(/\s+/),
);
/** What comes last says that the field is about a secret, not the secret: `token_count`, `password_file`. */
const ABOUT = new Set(
  `count counts limit limits length len size type types name names url uri endpoint expires expiry expiration ttl at in
   budget usage used policy field fields label required enabled disabled version format kind min max status arn ref
   file path dir rotation strategy algorithm alg encoding model price cost rate per index position offset stats
   counter estimate window valid present provider store manager helper prompt reset changed age days issuer seconds
   minutes hours ms timeout lifetime duration retries attempts domain samesite secure httponly`.split(/\s+/),
);
/** Before `token(s)`: a number of tokens, or a place in a list. */
const COUNTED = new Set(
  `max min num n total prompt completion input output reasoning thinking cached cache used remaining budget context avg
   average mean sum page continuation cursor per new extra audio text image stop special bos eos pad unk mask`.split(
    /\s+/,
  ),
);

/** `dbPassword` → `["db", "password"]`. At most 200 characters are looked at; what stands for a secret is no word. */
export function keyWords(key: string): string[] {
  return key
    .slice(0, 200)
    .replace(/\[REDACTED[^\]]{0,50}\]/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

export interface SecretNames {
  /** Whether the value under this key is a secret. */
  readonly isSecret: (key: string, value: unknown) => boolean;
  /** Source of a pattern, without regard to case: a text without a match holds no secret name. */
  readonly hint: string;
}

const MAX_CACHED = 500;
const MAX_CACHED_KEY = 64;

const HINT =
  "pass|pwd|pw\\b|secret|token|key|auth|bearer|credential|creds|cookie|jwt|otp|mnemonic|sess|sid\\b";

/**
 * The names that announce a secret.
 * `extra` keys count wherever their words stand in a name; `exempt` keys only as a whole name.
 */
export function secretKeys(extra: readonly string[] = [], exempt: readonly string[] = []): SecretNames {
  const more = extra.map((key) => keyWords(key).join("")).filter((key) => key !== "");
  const free = new Set(exempt.map((key) => keyWords(key).join("")));
  // The same few names come with every record.
  const cache = new Map<string, string[]>();
  const wordsOf = (key: string): string[] => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const words = keyWords(key);
    if (cache.size >= MAX_CACHED) cache.clear();
    if (key.length <= MAX_CACHED_KEY) cache.set(key, words);
    return words;
  };
  const isSecret = (key: string, value: unknown): boolean => {
    if (value === null || value === undefined || typeof value === "boolean" || value === "") return false;
    const words = wordsOf(key);
    const joined = words.join("");
    if (free.has(joined)) return false;
    if (more.some((name) => joined === name || hasRun(words, name))) return true;
    return isSecretName(words, value);
  };
  const spelt = more.map((name) => [...name].join("[ _.-]?"));
  return { isSecret, hint: [HINT, ...spelt].join("|") };
}

function isSecretName(words: readonly string[], value: unknown): boolean {
  if (WHOLE.has(words.join(" "))) return true;
  const last = words.at(-1);
  if (last === undefined) return false;
  if (words.length > 1 && ["pass", "auth", "pw"].includes(last))
    return OWNERS.has(words.at(-2) ?? "") || (last !== "auth" && isNoWord(value));
  const at = words.findLastIndex((word, index) => isSecretWord(word, words[index - 1]));
  if (at === -1) return false;
  if (at < words.length - 1 && ABOUT.has(last)) return false;
  return !isHarmless(words, at, value);
}

function isSecretWord(word: string, before: string | undefined): boolean {
  const plain = word.replace(/\d+$/, "");
  if (WORDS.has(plain) || ENDINGS.test(plain)) return true;
  return (plain === "key" || plain === "keys") && before !== undefined && KEY_KINDS.has(before);
}

function isHarmless(words: readonly string[], at: number, value: unknown): boolean {
  const word = words[at];
  if (word === "token" || word === "tokens") {
    const before = words[at - 1];
    if (before !== undefined && COUNTED.has(before)) return true;
    if (word === "tokens" && isNumeric(value)) return true;
  }
  // The name of a stored secret, unless it looks like one: some products call the secret itself so.
  if (word === "secret" && words.length === at + 2 && words[at + 1] === "id")
    return typeof value !== "string" || !/^(?=[^\d]*\d)[A-Za-z0-9-]{16,}$/.test(value);
  // The shell's working directory shares a spelling with a password.
  if (words.length === 1 && word === "pwd")
    return typeof value === "string" && /^(?:[~/.]|[A-Za-z]:)/.test(value);
  return false;
}

/** `test_pass=3` and `first_pass: done` count and tell; a password does not look so. */
function isNoWord(value: unknown): boolean {
  return (
    typeof value === "string" &&
    value.length > 3 &&
    /\d|[^A-Za-z0-9]|[a-z][A-Z]/.test(value) &&
    /\D/.test(value)
  );
}

function isNumeric(value: unknown): boolean {
  if (typeof value === "number") return true;
  if (typeof value === "string") return /^\d{1,12}$/.test(value);
  return (
    typeof value === "object" &&
    value !== null &&
    // What an earlier pass hid among numbers was one.
    Object.values(value).every((v) => typeof v === "number" || v === "[REDACTED]")
  );
}

/** True when whole words of the name, put together, spell `name`. */
function hasRun(words: readonly string[], name: string): boolean {
  return words.some((_, from) => {
    let run = "";
    for (const word of words.slice(from)) {
      run += word;
      if (run === name) return true;
      if (run.length >= name.length) return false;
    }
    return false;
  });
}
