/** Secrets that people and programs tell in a sentence: "the password is …", "bad token …". What follows must not look like a word. As data; every pattern is bounded. */
import { isPlaceholder } from "./placeholder";
import type { SecretContext } from "./secretContexts";

/** What may stand between the word and the secret. */
const LINK = `(?=[ \\t:：=＝"'\`“«])(?:[ \\t]{1,3}(?:is|was|are|to|of|used|given))?(?:[ \\t]{0,3}[:：=＝])?[ \\t]{0,3}["'\`“«]?`;
const VALUE = `([^\\s"'\`,;”»|<>(){}\\[\\]]{1,256})`;

const WORDS_WITH_PASSWORD = "password|passphrase|passcode|passwd|passwort|kennwort|wachtwoord|senha|pwd";
const WORDS_WITH_TOKEN =
  "token|secret|api[ -]key|access key|secret key|auth key|encryption key|credentials?|credential";

export const SPOKEN_SECRETS: readonly SecretContext[] = [
  {
    type: "password",
    gate: /pass|wort|senha|pwd/i,
    pattern: new RegExp(
      `(?<![A-Za-z0-9_.-])(?:${WORDS_WITH_PASSWORD})(?![A-Za-z0-9_-])${LINK}${VALUE}`,
      "gi",
    ),
    accept: (value) => value.length >= 6 && isMixed(value),
  },
  {
    type: "token",
    gate: /token|secret|key|credential/i,
    pattern: new RegExp(`(?<![A-Za-z0-9_.-])(?:${WORDS_WITH_TOKEN})(?![A-Za-z0-9_-])${LINK}${VALUE}`, "gi"),
    accept: (value) => value.length >= 12 && isDrawn(value),
  },
  {
    type: "password",
    gate: /(?:credentials?|login|logon)[^\n]{1,80}[/|:,]/i,
    pattern:
      /\b(?:credentials?|login|logon)\b[ \t]{0,3}(?:is|are)?[ \t]{0,3}[:=]?[ \t]{0,3}[^\s/|:,]{1,64}[ \t]{0,3}[/|:,][ \t]{0,3}([^\s"'`,;]{6,256})/gi,
    accept: isMixed,
  },
  {
    type: "password",
    gate: /logon|username\/password/i,
    pattern: /(?:logon|username\/password)\b[^\n]{0,80}? [\w$#]{1,64}\/([^\s@"']{4,128})/gi,
    accept: isMixed,
  },
  {
    type: "password",
    // Letters of other scripts: a colon is enough, for the word means nothing else.
    gate: /contraseña|mot de passe|hasło|пароль|密码|密碼|口令|パスワード|비밀번호|lösenord/i,
    pattern:
      /(?:contraseña|mot de passe|hasło|пароль|密码|密碼|口令|パスワード|비밀번호|lösenord)[ \t]{0,3}(?:es|est|это|是|は)?[ \t]{0,3}[:：=＝]?[ \t]{0,3}["'“«]?([\x21\x23-\x26\x28-\x7e]{4,256})/gi,
    accept: (value) => !isPlaceholder(value) && /[0-9A-Z]|[^A-Za-z]/.test(value),
  },
  {
    type: "pin",
    gate: /PIN|pin code|passcode/,
    pattern:
      /\b(?:PIN(?: code)?|pin code|passcode)\b[ \t]{0,3}(?:is|was)?[ \t]{0,3}[:=]?[ \t]{0,3}(\d{4,12})(?!\d)/g,
  },
  {
    type: "mnemonic",
    gate: /(?:seed|recovery|mnemonic|backup)\s/i,
    pattern:
      /\b(?:seed|recovery|mnemonic|backup)\b(?: (?:phrase|words?|seed))?[ \t]{0,3}(?:is|are)?[ \t]{0,3}[:=]?[ \t]{0,3}["'“]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/gi,
  },
];

/** Letters with digits or signs among them: no word of a sentence, no number, no path. */
function isMixed(value: string): boolean {
  if (isPlaceholder(value) || /^[/~.]/.test(value)) return false;
  const word = value.replace(/[.!?:]+$/, "");
  if (!/[A-Za-z]/.test(word)) return false;
  return /\d/.test(word) || /[!#$%&*+=?@^~]/.test(word);
}

/** A run that nobody would write: digits among letters, and no separators that names have. */
export function isDrawn(value: string): boolean {
  if (!isMixed(value) || /[/\\]|:\/\/|\.[a-z]{2,4}$/.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  return digits >= 2 && /[A-Za-z]\d|\d[A-Za-z]/.test(value) && /[A-Za-z0-9_-]{12}/.test(value);
}
