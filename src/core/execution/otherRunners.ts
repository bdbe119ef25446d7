/** Files that run by the way: scripts of awk and sed, of editors and debuggers, task files, what is compiled, what is loaded before a program. Judges nothing. */
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import type { ExecutedFile } from "./executedFile";

/** Undefined = it is no such program. */
export function otherRunner(name: string, args: readonly string[]): readonly ExecutedFile[] | undefined {
  const behind = (option: RegExp): readonly string[] =>
    args.flatMap((word, at) => {
      if (option.test(args[at - 1] ?? "")) return [word];
      return /^--[\w-]+=/.test(word) && option.test(word.replace(/=.*$/s, ""))
        ? [word.replace(/^[^=]*=/s, "")]
        : [];
    });
  const all = (paths: readonly string[], how: ExecutedFile["how"]): readonly ExecutedFile[] =>
    paths.filter((path) => !path.includes(UNKNOWN)).map((path) => ({ path, how }));
  if (/^(?:g|m|n)?awk$/.test(name))
    return all(behind(/^(?:-f|--file)$/), { kind: "code", interpreter: "awk" });
  if (/^g?sed$/.test(name)) return all(behind(/^(?:-f|--file)$/), { kind: "code", interpreter: "sed" });
  if (/^(?:n?vim?|ex|view)$/.test(name))
    return all(behind(/^(?:-S|-s|-u|--cmd)$/), { kind: "lines", of: "editor" });
  if (/^(?:gdb|lldb)$/.test(name))
    return all(behind(/^(?:-x|--command|-s|--source|-ix)$/), { kind: "lines", of: "debugger" });
  if (name === "just")
    return all(behind(/^(?:-f|--justfile)$/).concat(["justfile", "Justfile", ".justfile"]), {
      kind: "lines",
      of: "tasks",
    });
  if (name === "task" || name === "go-task")
    return all(behind(/^(?:-t|--taskfile)$/).concat(["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"]), {
      kind: "lines",
      of: "tasks",
    });
  if (
    name === "cargo" &&
    /^(?:build|run|test|check|install|bench|b|r|t|c)$/.test(args.find((word) => !word.startsWith("-")) ?? "")
  )
    return all(["build.rs", "src/main.rs"], { kind: "code", interpreter: "rust" });
  if (/^(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|tcc|rustc)$/.test(name))
    return all(
      args.filter((word) => /\.(?:c|cc|cpp|cxx|rs)$/.test(word)),
      { kind: "code", interpreter: name === "rustc" ? "rust" : "c" },
    );
  return undefined;
}

/** Files that are loaded before the program, and those that code in a word loads. */
export function loaded(
  name: string,
  args: readonly string[],
  command: LocatedCommand["command"],
): readonly ExecutedFile[] {
  const interpreter = /^py/.test(name) ? "python3" : /^(?:ruby|perl|php)$/.test(name) ? name : "node";
  const how = { kind: "code", interpreter } as const;
  const before = args.flatMap((word, at) =>
    /^(?:-r|--require|--import|--loader|--experimental-loader|--preload)$/.test(args[at - 1] ?? "")
      ? [word]
      : (/^(?:--(?:require|import|loader|experimental-loader|preload)=|-r(?=\.))(.+)$/.exec(word)?.[1] ?? []),
  );
  const files = before
    .filter((path) => /^[./]/.test(path) && !path.includes(UNKNOWN))
    .flatMap((path) => (/\.\w+$/.test(path) ? [path] : [path, `${path}.js`, `${path}.rb`, `${path}.mjs`]));
  const words = args.flatMap((word, at) =>
    /^-[a-zA-Z]*[ce]$|^--(?:eval|print)$|^-p$/.test(args[at - 1] ?? "") ? [word] : [],
  );
  const texts = [...words, command.heredoc ?? ""].filter((text) => text !== "");
  return [
    ...files.map((path): ExecutedFile => ({ path, how })),
    ...texts.map((text): ExecutedFile => ({ path: ".", how: { kind: "imports", code: text, interpreter } })),
  ];
}
