/** The panel's document: one script, one style sheet, and a policy that forbids everything else. Knows nothing of VS Code. */

export interface PanelHtmlOptions {
  /** Fresh random text per document. */
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
  /** Where the style sheet may come from. */
  readonly cspSource: string;
  readonly language: string;
  readonly title: string;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);

export function panelHtml(options: PanelHtmlOptions): string {
  const { nonce, script, style, cspSource, language, title } = options;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(title)}</title>
</head>
<body>
<cs-app></cs-app>
<script nonce="${escaped(nonce)}" src="${escaped(script)}"></script>
</body>
</html>
`;
}
