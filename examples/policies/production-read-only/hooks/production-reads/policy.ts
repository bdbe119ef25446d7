import { defineToolPolicy } from "countersign/policy";

/** How production is named in addresses and commands. */
const PRODUCTION = /\b(?:prod|production)\b|\.prod\./i;
const READS = [
  /^\s*(?:select|show|explain|describe|table|values)\b(?![\s\S]*\b(?:into|for\s+update|insert|update|delete|merge|drop|alter|truncate|create|grant|call|do|copy)\b)[^;]*;?\s*$/i,
  /^\s*kubectl\s+(?:get|describe|logs|top)\b[^;&|<>`$]*$/,
  /^\s*(?:git\s+(?:log|show|diff|status)|dig|ping|host)\b[^;&|<>`$]*$/,
];

export default defineToolPolicy({
  policyKind: "enforcement",
  timeoutMs: 1000,

  beforeToolCall({ input, canonicalName }) {
    if (["Read", "Glob", "Grep"].includes(canonicalName)) return undefined;
    if (!PRODUCTION.test(JSON.stringify(input))) return undefined;
    const text = String(input);
    if (READS.some((read) => read.test(text))) return { action: "allow" };
    return { action: "ask", reason: "This names production and does more than read." };
  },
});
