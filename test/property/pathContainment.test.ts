/** Laws of path resolution on random worlds: what is let in really lies inside, and resolving twice changes nothing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithin } from "../../src/core/paths/canonicalPath";
import { imaginedFileSystem } from "../../src/core/paths/imaginedFileSystem";
import { resolvePath } from "../../src/core/paths/resolvePath";

const NAMES = ["a", "b", "A", "ab", "é", "e\u0301", ".x"];
const name = fc.constantFrom(...NAMES);
const step = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom("..", ".", ""));
const relative = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("/"));
const absolute = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}`);
const links = fc.dictionary(absolute, fc.oneof(absolute, relative, fc.constant(null)), { maxKeys: 6 });
const system = fc.constantFrom("linux" as const, "darwin" as const);

/** A second, naive reading of the same world: textual, link by link, as POSIX words it. */
function naive(path: string, map: ReadonlyMap<string, string>, budget = { left: 200 }): string | null {
  let at: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      at.pop();
      continue;
    }
    const here = `/${[...at, part].join("/")}`;
    const target = map.get(here);
    if (target === undefined) at.push(part);
    else {
      if (--budget.left < 0) return null;
      const inner = naive(target.startsWith("/") ? target : `/${[...at, target].join("/")}`, map, budget);
      if (inner === null) return null;
      at = inner.split("/").filter((text) => text !== "");
    }
  }
  return `/${at.join("/")}`;
}

describe("laws", () => {
  test("Linux: the real path is where a naive POSIX walk ends", async () => {
    await fc.assert(
      fc.asyncProperty(links, fc.oneof(absolute, relative), async (world, path) => {
        const fs = imaginedFileSystem({ os: "linux", home: "/home/u", roots: ["/a"], links: world });
        const map = new Map(
          Object.entries(world).filter(
            (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
          ),
        );
        const seen = await resolvePath({ path, cwd: "/a", fs });
        const wanted = naive(path.startsWith("/") ? path : `/a/${path}`, map);
        if (wanted === null || !seen.ok) return;
        // A missing folder ends a real walk; the text goes on.
        expect([seen.real, ...seen.others].map((real) => real.text)).toContain(wanted);
      }),
      { numRuns: 1500 },
    );
  });

  test("resolving a real path gives it back", async () => {
    await fc.assert(
      fc.asyncProperty(system, links, fc.oneof(absolute, relative), async (os, world, path) => {
        const fs = imaginedFileSystem({ os, home: "/home/u", roots: ["/a"], links: world });
        const once = await resolvePath({ path, cwd: "/a", fs });
        if (!once.ok) return;
        for (const real of [once.real, ...once.others]) {
          const twice = await resolvePath({ path: real.text, cwd: "/", fs });
          expect(twice).toMatchObject({ ok: true, real: { text: real.text }, others: [] });
        }
      }),
      { numRuns: 1500 },
    );
  });

  test("nothing that is inside has a link on its way that leads out", async () => {
    await fc.assert(
      fc.asyncProperty(system, links, fc.oneof(absolute, relative), async (os, world, path) => {
        const fs = imaginedFileSystem({ os, home: "/home/u", roots: ["/a"], links: world });
        const root = await resolvePath({ path: "/a", fs });
        const end = await resolvePath({ path, cwd: "/a", fs });
        if (!root.ok || !end.ok || !isWithin(end.real, root.real)) return;
        for (let i = 1; i <= end.real.segments.length; i++) {
          const look = await fs.look(`/${end.real.segments.slice(0, i).join("/")}`);
          expect(look.kind).not.toBe("link");
        }
        expect(end.real.segments).not.toContain("..");
      }),
      { numRuns: 1500 },
    );
  });

  test("containment is a partial order, and a sibling with the same beginning is outside", async () => {
    const fs = imaginedFileSystem({ os: "linux", home: "/home/u", roots: [], links: {} });
    await fc.assert(
      fc.asyncProperty(absolute, absolute, absolute, async (a, b, c) => {
        const [x, y, z] = await Promise.all([a, b, c].map((path) => resolvePath({ path, fs })));
        if (!x?.ok || !y?.ok || !z?.ok) throw new Error("plain paths resolve");
        expect(isWithin(x.real, x.real)).toBe(true);
        if (isWithin(x.real, y.real) && isWithin(y.real, z.real)) expect(isWithin(x.real, z.real)).toBe(true);
        const sibling = await resolvePath({ path: `${a}x`, fs });
        expect(sibling.ok && isWithin(sibling.real, x.real)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test("any text at all is judged or refused, never thrown at", async () => {
    const worlds = (["linux", "darwin", "win32"] as const).map((os) =>
      imaginedFileSystem({ os, home: os === "win32" ? "C:\\Users\\u" : "/home/u", roots: [], links: {} }),
    );
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.constantFrom("/", "\\", "..", "C:", "~", "file:", "%2e", "\\\\?\\", ":", "\0", "//", "CON", "A~1"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        for (const fs of worlds) {
          const cwd = fs.os === "win32" ? "C:\\w" : "/w";
          const seen = await resolvePath({ path: pieces.join(""), cwd, fs });
          if (seen.ok)
            expect(
              [seen.real, ...seen.others].every(
                (real) => !real.segments.includes("..") && !real.segments.includes("."),
              ),
            ).toBe(true);
          else expect(seen.reason.length).toBeGreaterThan(5);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
