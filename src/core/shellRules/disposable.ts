/** Tells by its name what is made anew by a build or belongs to nobody, so that removing it loses nothing. Knows no file system. */
import { joinFolder } from "../paths/changeFolder";
import { isUnknown } from "./commandWords";

/** Folders that tools make again. */
const REGENERATED = new RegExp(
  `^(?:${[
    "node_modules|bower_components|jspm_packages|elm-stuff|_build|\\.dart_tool|Pods|DerivedData",
    "dist|build|out|target|coverage|htmlcov|\\.nyc_output|\\.coverage|storybook-static|playwright-report|test-results",
    "\\.next|\\.nuxt|\\.output|\\.svelte-kit|\\.angular|\\.astro|\\.docusaurus|\\.expo|\\.turbo|\\.vite|\\.parcel-cache|\\.cache|\\.rpt2_cache|\\.webpack|\\.rollup\\.cache|\\.eslintcache|\\.swc",
    "__pycache__|\\.pytest_cache|\\.mypy_cache|\\.ruff_cache|\\.hypothesis|\\.tox|\\.nox|\\.venv|venv|\\.eggs|[\\w.*-]*\\.egg-info|\\.ipynb_checkpoints",
    "\\.gradle|\\.kotlin|\\.aws-sam|cmake-build-[\\w*-]+|CMakeFiles|obj|Debug|Release|tmp|temp|\\.tmp|\\.temp",
  ].join("|")})$`,
);
/** Files that tools write again, or that nobody keeps. */
const LEFTOVER =
  /^(?:.*\.(?:pyc|pyo|o|obj|class|log|tmp|temp|bak|orig|rej|swp|swo|out|map|tsbuildinfo|coverage|pid|lock|cache|gcda|gcno|prof|trace)|\.DS_Store|Thumbs\.db|.*~|package-lock\.json|npm-shrinkwrap\.json|go\.sum|pnpm-lock\.yaml|nohup\.out|npm-debug\.log.*|yarn-error\.log.*|\.coverage.*|\.eslintcache)$/i;
/** Of these a folder may have the name too. */
const NEVER_A_FOLDER =
  /\.(?:pyc|pyo|o|obj|log|pid|tsbuildinfo|swp)$|^(?:\.DS_Store|[\w.-]*lock\.(?:json|yaml)|[\w-]+\.lock|npm-shrinkwrap\.json)$/i;
/** A wildcard over one of these takes what people wrote. */
const WRITTEN_BY_PEOPLE =
  /\.(?:[cm]?[tj]sx?|py|rs|go|c|h|cc|cpp|hpp|java|kts?|rb|php|swift|scala|cs|fs|sql|md|rst|txt|json|ya?ml|toml|ini|html?|s?css|less|vue|svelte|sh|ps1|db|sqlite3?|env|pem|key|csv|xlsx?|docx?|pdf|ipynb|tf|tfvars|proto|lua|r|jl|ex|exs|erl|hs|ml|dart)$/i;
const TEMP = /^(?:\/private)?(?:\/tmp|\/var\/tmp|\/dev\/shm|\/var\/folders)\/(?!\*+$|\.\*?$|\{)./;
const CACHE = /^~\/(?:\.cache|\.npm|\.yarn\/cache|\.cargo\/registry|Library\/Caches|go\/pkg\/mod)\/[^*/]/;

interface Where {
  /** Absolute; a path below it is taken as relative. */
  readonly cwd?: string | undefined;
  /** "deep" = with all that lies in it. */
  readonly taken?: "deep";
}

/** `path` as a command names it, its folder in front. `..` is taken as text. */
export function isDisposable(path: string, { cwd, taken }: Where = {}): boolean {
  if (isUnknown(path)) return false;
  const slashes = path.replaceAll("\\", "/");
  const own = cwd !== undefined && slashes.startsWith(`${cwd}/`) ? slashes.slice(cwd.length + 1) : slashes;
  const text = joinFolder("", own) ?? "";
  const names = text.split("/").filter((name) => name !== "");
  if (names.includes(".git") || names.includes("..")) return false;
  if (TEMP.test(text) || CACHE.test(text)) return true;
  // Elsewhere on the disk a folder called `build` may be anybody's.
  if (/^([/~]|[a-z]:)/i.test(text)) return false;
  return (
    /^\.?logs?(?:\/|$)/.test(text) ||
    names.some((name) => REGENERATED.test(name)) ||
    (taken === "deep" ? NEVER_A_FOLDER : LEFTOVER).test(names.at(-1) ?? "")
  );
}

/** A name that a search or a wildcard looks for. */
export function isDisposableName(pattern: string): boolean {
  return REGENERATED.test(pattern) || LEFTOVER.test(pattern);
}

/** `*`, `src/*`, `*.ts`: takes more than anybody has named. */
export function takesMany(path: string): boolean {
  const last = path.replaceAll("\\", "/").replace(/\/+$/, "").split("/").at(-1) ?? "";
  if (!/[*?[]/.test(last)) return false;
  return /^[.*?]+$/.test(last) || WRITTEN_BY_PEOPLE.test(last) || !/\.\w+$|\w{3}/.test(last);
}
