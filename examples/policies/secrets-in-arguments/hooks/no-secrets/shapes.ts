const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ["a cloud access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  [
    "a token of a code host",
    /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20})\b/,
  ],
  ["a token of a chat service", /\bxox[abprs]-[A-Za-z0-9-]{20,}/],
  ["a JSON web token", /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/],
];

/** What kind of secret the text holds; undefined = none of a known shape. */
export function secretIn(text: string): string | undefined {
  return SHAPES.find(([, shape]) => shape.test(text))?.[0];
}
