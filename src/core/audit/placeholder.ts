/** What stands where a secret would, and is none. Knows nothing of the text around it. */

/** `$VAR`, `$1`, `${VAR}`, `${{ secrets.X }}`, `{{ x }}`, `%VAR%`, `<token>`, `****`, `:name`, `?`, `%s`. */
const STAND_IN =
  /^(?:\$[A-Za-z_]\w*|\$\d{1,3}|\$env:\w+|\$\{[^}]*\}?\}?|\{\{[^}]*\}\}|%\w+%|<[^<>]*>|\*{2,}|•{2,}|[xX]{3,}|\.{3}|…|\$|\?|:[a-z_]{1,40}|%s|%\(\w+\)s|#)$/;
const FROM_ENVIRONMENT =
  /^(?:process\.env|import\.meta\.env|Deno\.env|System\.getenv|os\.environ|os\.getenv|os\.Getenv|getenv|ENV)\b/;
/** What a command prints: `$(pass show x)`. */
const FROM_COMMAND = /^\$\([^)]*\)?$/;
/** `YOUR_API_KEY`, `your-token-here`, `changeme`, `insert password`: letters only, so that no drawn secret looks so. */
const ADVICE =
  /^(?:(?:your|my|insert|enter|put|paste|replace|add|set)[-_ ][a-z_ -]*(?:key|token|secret|password|passphrase|here|me|value)|change[-_]?me|replace[-_]?me|todo|tbd|placeholder|dummy|redacted|example)$/i;
/** `!vault`, `!Ref`: a tag of YAML; what it names follows. */
const TAG = /^!(?:vault|secret|env_var|env|reference|ref|sub|getatt|importvalue|include)$/i;
const RELATIVE_PATH = /^\.{1,2}\/[\w./-]+$/;

/** A name or a mask in place of a secret. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 200) return false;
  return (
    STAND_IN.test(value) ||
    FROM_ENVIRONMENT.test(value) ||
    FROM_COMMAND.test(value) ||
    ADVICE.test(value) ||
    TAG.test(value) ||
    RELATIVE_PATH.test(value)
  );
}
