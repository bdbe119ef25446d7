/** What tells that a named value is no secret after all: words of code and prose, calls, colours, the name itself. Knows nothing of the text around. */
import { isPlaceholder } from "./placeholder";

/** Words that stand where a value would: types and empty values of code and schemas. */
const NOT_VALUES = new Set(
  `string str number int integer boolean bool any unknown text varchar char bytes object required optional null none
   nil undefined true false yes no not is self this await new function inherit the a an
   of for to in on with by as and or see use set from must should can will may
   edit push pull show list get create delete remove update refresh rotate generate verify check write read raise return
   throw none`.split(/\s+/),
);

/** `passwd.c:120:` is a place in a file. */
const FILE_NAME =
  /\.(?:c|h|cc|cpp|cs|py|js|mjs|cjs|ts|tsx|jsx|go|rs|rb|php|java|kt|swift|sh|md|txt|json|ya?ml|toml|lock|html|css|sql|log)$/i;
const SCHEME = /^(?:bearer|basic|token|apikey|api-key)[ \t]{1,4}/i;

/** `STRIPE_KEY=…`: only with a value that looks drawn. */
const SETTING_KEY = /^(?![A-Z0-9_]*(?:PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|HOST))[A-Z0-9_]{1,60}_KEY$/;

/** Longer values are looked at by nobody here: the time would grow with the text, and no word of code is that long. */
const MAX_DOUBTED = 700;

/** A name and a value that stand where a secret would: what tells that there is none. */
export function isNoSecret(value: string, name: string): boolean {
  if (value.length > MAX_DOUBTED) return false;
  if (value === "" || NOT_VALUES.has(value.toLowerCase())) return true;
  if (isPlaceholder(value.replace(SCHEME, ""))) return true;
  // `${X:-}`, `theme=; Max-Age=0`, `tokens: [a, b]`, `"token": "node token.js"`.
  if (/^(?:[-=?+]|[\w-]{1,64}=; [^\n]*)$/.test(value)) return true;
  if (/tokens?$/i.test(name) && /^(?:[a-z ]{1,12},){1,50}[a-z ]{1,12}$|^[a-z]+ [\w./-]+$/.test(value))
    return !SCHEME.test(value);
  // A colour of a style sheet: `--token-primary: #fff`.
  if (name.startsWith("--") && /^#[0-9a-f]{3,8}$/i.test(value)) return true;
  const last = name.slice(name.lastIndexOf(".") + 1);
  // Code: `token: Token`, `this.password = password`, `e.secret=r`.
  const isItself =
    (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){0,4}$/.test(value)
      ? value.slice(value.lastIndexOf(".") + 1)
      : value
    ).toLowerCase() === last.toLowerCase();
  return isItself && value !== name ? true : last !== name && value.length === 1;
}

export const isFileName = (name: string): boolean => FILE_NAME.test(name);
export const isSettingKey = (name: string): boolean => SETTING_KEY.test(name);
