/** What stands where a secret would, and is none. Knows nothing of the text around it. */

/** A name or a mask in place of a secret: `$VAR`, `${{ secrets.X }}`, `%VAR%`, `<token>`, `****`, `process.env.X`. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 200) return false;
  return (
    /^(?:\$[A-Za-z_]\w*|\$env:\w+|\$\{[^}]*\}?\}?|\{\{[^}]*\}\}|%\w+%|<[^<>]*>|\*{2,}|•{2,}|[xX]{3,}|\.{3}|…|\$)$/.test(
      value,
    ) || /^(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|ENV)\b/.test(value)
  );
}
