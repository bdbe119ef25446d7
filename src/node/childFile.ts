/** Finds the file of a child process or worker beside this one, built or as source. Knows nothing of what the child does. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface ChildFile {
  readonly path: string;
  readonly execArgv: readonly string[];
}

/** Sources import without extensions, which Node does not resolve by itself. */
const SOURCE_RESOLVER = `import { registerHooks } from "node:module";
registerHooks({ resolve(specifier, context, next) {
  try { return next(specifier, context); }
  catch (error) { if (specifier.startsWith(".")) return next(specifier + ".ts", context); throw error; }
} });`;

/** `folder` holds `<name>.js` in a build, `<name>.ts` in a source tree. */
export function childFile(folder: string, name: string): ChildFile {
  const built = join(folder, `${name}.js`);
  if (existsSync(built)) return { path: built, execArgv: [] };
  const loader = `data:text/javascript,${encodeURIComponent(SOURCE_RESOLVER)}`;
  return { path: join(folder, `${name}.ts`), execArgv: ["--import", loader] };
}
