/** What a handler printed, told apart before it is read: plain words, or a result that is not alone. Reads no result. */

/** A key that only results have, in an object, wherever in the text it stands. */
const RESULT_KEY =
  /[{,]\s*(["'])(?:decision|additional_context|updated_(?:input|result|error|request|response)|permissionDecision|hookSpecificOutput)\1\s*:/u;
/** Said alone, it was meant as more than a word for the agent. */
const REFUSAL = /^["'`]?(?:deny|denied|block|blocked|refuse|refused|reject|rejected)["'`]?[.!]?$/iu;

/**
 * Why the text is no plain text for the agent, though it is no result either: what was meant as a refusal must not be
 * read out as a remark. Undefined = plain text.
 */
export function notPlainText(text: string): string | undefined {
  if (REFUSAL.test(text)) return 'it printed a word where a result belongs: {"decision": "deny"}';
  if (RESULT_KEY.test(text) || text.split("\n").some(isFindings)) {
    return "it printed other text beside its result: a result must be all that it prints";
  }
  return isOtherJson(text) ? "it printed JSON that is no result" : undefined;
}

/** One line with an object of nothing but what a result has. */
function isFindings(line: string): boolean {
  return /^\s*\{\s*"(?:reason|findings)"\s*:/u.test(line) && parsed(line) !== undefined;
}

/** A number alone may be a count for the agent; a list or a word of JSON is an answer in the wrong shape. */
function isOtherJson(text: string): boolean {
  const value = parsed(text);
  return value !== undefined && typeof value !== "number";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first key that stands twice in the outermost object of a text that is JSON. */
export function doubledKey(json: string): string | undefined {
  const keys = new Set<string>();
  let depth = 0;
  // Texts, brackets: the rest of JSON holds neither.
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gu)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && /^\s*:/u.test(json.slice(index + token.length, index + token.length + 100))) {
      const key = String(JSON.parse(token));
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}
