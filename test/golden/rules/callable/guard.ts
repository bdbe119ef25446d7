interface Event {
  readonly tool_input: { readonly sql: string };
}

export function check(event: Event): object {
  const letters = event.tool_input.sql.replace(/[^A-Za-z]/g, "").length;
  return {
    decision: "deny",
    reason: `${letters} letters are too many`,
    findings: [{ code: "long", message: "a long statement", by: "somebody" }],
  };
}
