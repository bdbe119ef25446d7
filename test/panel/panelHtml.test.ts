/** The panel's document: what an agent wrote cannot end the part it stands in. */
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { panelHtml } from "../../src/host/panelHtml";

const options = {
  nonce: 'n"1',
  script: "go()",
  style: "p{}",
  language: "en",
  title: "Audit <log>",
  first: [] as unknown[],
};

test.each(["</script><script>alert(1)</script>", "<!--<script>", '"></title><img src=x>', "\u2028<\u2029"])(
  "%j in a row is data",
  (text) => {
    const html = panelHtml({ ...options, first: [{ text }] });
    const data = /<script type="application\/json" id="first">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    expect(data).not.toContain("<");
    expect(JSON.parse(data)).toEqual([{ text }]);
    expect(html.match(/<script/g)).toHaveLength(2);
  },
);

test.each<[string, unknown]>([
  ['["</script>", "<!--", "<script>"].join("|")', "</script>|<!--|<script>"],
  ["/<!--|<\\/script/.test('<!--')", true],
  ["[...`</script>`].length", 9],
])("the script %s means the same in the document", (script, value) => {
  const html = panelHtml({ ...options, script });
  const text = /<script nonce="[^"]*">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
  expect(text).not.toMatch(/<!--|<\/?script/);
  expect(runInNewContext(text)).toEqual(value);
});

test("the policy allows this script and this style alone", () => {
  const html = panelHtml({ ...options, style: "a{}</style><b>" });
  expect(html).toContain(
    `default-src 'none'; script-src 'nonce-n&#34;1'; style-src 'nonce-n&#34;1'; base-uri 'none'; form-action 'none'`,
  );
  expect(html.match(/<\/style/g)).toHaveLength(1);
  expect(html).toContain("<title>Audit &#60;log&#62;</title>");
});
