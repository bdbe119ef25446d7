/** Finds functions that start themselves twice without end. Knows no other command. */

/** `:(){ :|:& };:` and the same under another name. */
const BOMB =
  /(?:^|[\s;{(&|])(?:function\s+)?([\w:.@%+-]+)(?:\s*\(\s*\))?\s*\{[^{}]{0,200}?(?<![\w-])\1\s*(?:\|&?|&)\s*\1(?![\w-])[^{}]{0,200}\}/;
const SCRIPT = /\$0\s*(?:\|&?|&)\s*\$0|while\s+(?:true|:|\[ 1 \])(?:\s*;)?\s*do\s+(?:\$0|bash|sh)\s*&/;

export function isForkBomb(text: string): boolean {
  return text.length < 65_536 && (BOMB.test(text) || SCRIPT.test(text));
}
