import { expect, test } from "vitest";
import { createRedactor } from "../../../src/core/audit/redact";

const redactor = createRedactor();

test("past 500 texts with secrets the rest is hidden unread, and a second pass changes nothing", () => {
  const texts = Array.from({ length: 600 }, (_, i) => `curl -u ann:hunter${i}x https://h.example`);
  const { value } = redactor.value([...texts, "a plain sentence"], "args");
  expect(JSON.stringify(value)).not.toContain("hunter");
  expect(value).toMatchObject({ 499: expect.stringContaining("curl"), 600: "[REDACTED:unscanned:16]" });
  expect(redactor.value(value, "args").value).toEqual(value);
  const few = redactor.value([...texts.slice(0, 400), "a plain sentence"], "args").value;
  expect(few).toMatchObject({ 400: "a plain sentence" });
});
