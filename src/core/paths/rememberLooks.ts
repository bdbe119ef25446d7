/** One verdict looks at each place once: roots and paths share most of their parents. Never kept longer than that. */
import type { FileSystem } from "../../ports";

export function rememberLooks(fs: FileSystem): FileSystem {
  const seen = new Map<string, ReturnType<FileSystem["look"]>>();
  return {
    os: fs.os,
    home: fs.home,
    caseInsensitive: fs.caseInsensitive,
    look(path) {
      const known = seen.get(path);
      if (known !== undefined) return known;
      const look = fs.look(path);
      seen.set(path, look);
      return look;
    },
  };
}
