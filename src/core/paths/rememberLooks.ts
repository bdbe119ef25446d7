/** One verdict looks at each place once: roots and paths share most of their parents. Never kept longer than that. */
import type { FileSystem } from "../../ports";

export function rememberLooks(fs: FileSystem): FileSystem {
  const { real } = fs;
  return {
    os: fs.os,
    home: fs.home,
    caseInsensitive: fs.caseInsensitive,
    look: remembered((path) => fs.look(path)),
    ...(real === undefined ? {} : { real: remembered((path) => real(path)) }),
  };
}

function remembered<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const seen = new Map<string, Promise<T>>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const answer = ask(path);
    seen.set(path, answer);
    return answer;
  };
}
