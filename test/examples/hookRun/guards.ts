/** Handlers of gateway-hooks.toml: each is given an event and answers with a result, or null to let it pass. */
interface RowsEvent {
  readonly tool_result: { readonly rows?: readonly unknown[] } | null;
}

interface RequestEvent {
  readonly request: { readonly query: Readonly<Record<string, unknown>> | null };
}

const MOST_ROWS = 3;

export function capRows({ tool_result }: RowsEvent): object | null {
  const rows = tool_result?.rows ?? [];
  if (rows.length <= MOST_ROWS) return null;
  return {
    updated_result: { ...tool_result, rows: rows.slice(0, MOST_ROWS) },
    additional_context: `showing ${MOST_ROWS} of ${rows.length} rows`,
  };
}

export function smallPages({ request }: RequestEvent): object {
  return { decision: "rewrite", updated_request: { query: { ...request.query, limit: 2 } } };
}
