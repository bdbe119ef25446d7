/** What `${V#x}`, `${V/a/b}`, `${V:1:2}` and their kind make of a known value. Knows no variable. */
import type { ParameterOperation, Word } from "unbash";

/** The new value; undefined = that cannot be told. */
export function changedValue(value: string, operation: ParameterOperation): string | undefined {
  switch (operation.type) {
    case "Remove":
      return removed(value, operation.operator, plainText(operation.operand));
    case "Replace":
      return replaced(value, operation.operator, {
        from: plainText(operation.pattern),
        to: plainText(operation.replacement),
      });
    case "Slice":
      return sliced(value, plainText(operation.offset), operation.length && plainText(operation.length));
    case "CaseModification":
      return operation.operand === undefined ? recased(value, operation.operator) : undefined;
    case "Transform":
      return transformed(value, operation.operand.text);
    default:
      return undefined;
  }
}

/** A word without expansions and wildcards. */
function plainText({ text, value, parts }: Word): string | undefined {
  const isPlain = (parts ?? []).every(({ type }) => /^(Literal|SingleQuoted|AnsiCQuoted)$/.test(type));
  if (/[$`]/.test(text) || !isPlain) return undefined;
  return /^[^*?[\]]*$/.test(value) ? value : undefined;
}

function removed(value: string, operator: string, pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  if (operator.startsWith("#")) return value.startsWith(pattern) ? value.slice(pattern.length) : value;
  return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
}

function replaced(
  value: string,
  operator: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): string | undefined {
  if (from === undefined || to === undefined || from === "") return undefined;
  switch (operator) {
    case "//":
      return value.replaceAll(from, () => to);
    case "/#":
      return value.startsWith(from) ? to + value.slice(from.length) : value;
    case "/%":
      return value.endsWith(from) ? value.slice(0, value.length - from.length) + to : value;
    default:
      return value.replace(from, () => to);
  }
}

function sliced(value: string, offset: string | undefined, length: string | undefined): string | undefined {
  if (offset === undefined || !/^\s*-?\d+$/.test(offset)) return undefined;
  if (length !== undefined && !/^\s*-?\d+$/.test(length)) return undefined;
  const from = Number(offset);
  const start = from < 0 ? Math.max(value.length + from, 0) : from;
  if (length === undefined) return value.slice(start);
  const count = Number(length);
  return count < 0 ? value.slice(start, value.length + count) : value.slice(start, start + count);
}

function recased(value: string, operator: string): string {
  const first = operator.length === 1;
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return first ? change(value.slice(0, 1)) + value.slice(1) : change(value);
}

function transformed(value: string, operator: string): string | undefined {
  if (operator === "U") return value.toUpperCase();
  if (operator === "L") return value.toLowerCase();
  if (operator === "u") return value.slice(0, 1).toUpperCase() + value.slice(1);
  return operator === "E" && !value.includes("\\") ? value : undefined;
}
