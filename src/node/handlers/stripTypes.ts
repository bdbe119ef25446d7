/** TypeScript or ES modules to CommonJS text that any Node runs, lines kept. Knows nothing of what the code is for. */
/** Rejects with line and column where the text cannot be read. */
export async function toCommonJs(source: string, file: string): Promise<string> {
  // Heavy, and many configurations have no callable.
  const { transform } = await import("sucrase");
  const isTypeScript = /\.[cm]?ts$/.test(file);
  return transform(source, {
    transforms: isTypeScript ? ["typescript", "imports"] : ["imports"],
    filePath: file,
    production: true,
    preserveDynamicImport: false,
  }).code;
}
