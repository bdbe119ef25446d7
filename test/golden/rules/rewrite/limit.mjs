let text = "";
for await (const chunk of process.stdin) text += chunk;
const { tool_input } = JSON.parse(text);
const sql = `${tool_input.sql} LIMIT 5`;
process.stdout.write(JSON.stringify({ decision: "rewrite", updated_input: { ...tool_input, sql } }));
