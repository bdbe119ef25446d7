/**
 * The panel's document: one script, one style sheet and the first rows, all in the document itself, since each file that a
 * webview asks for takes a way of its own through the editor; and a policy that forbids everything else. Knows nothing of VS Code.
 */

export interface PanelHtmlOptions {
  /** Fresh random text per document. */
  readonly nonce: string;
  /** Texts of the script and of the style sheet. */
  readonly script: string;
  readonly style: string;
  readonly language: string;
  readonly title: string;
  /** What the page shows before it has asked anything: messages as the host would post them. */
  readonly first: readonly unknown[];
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);

/** In a script these stand in texts and patterns alone, where the escape means the same. */
const scriptSafe = (text: string): string => text.replace(/<(?=!--|\/?script)/gi, "\\x3c");

const styleSafe = (text: string): string => text.replace(/<(?=\/style)/gi, "\\3c ");

const jsonSafe = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

export function panelHtml(options: PanelHtmlOptions): string {
  const { script, style, language, title, first } = options;
  const nonce = escaped(options.nonce);
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">${styleSafe(style)}</style>
<title>${escaped(title)}</title>
</head>
<body>
<cs-app></cs-app>
<script type="application/json" id="first">${jsonSafe(first)}</script>
<script nonce="${nonce}">${scriptSafe(script)}</script>
</body>
</html>
`;
}
