/** Imagined machines for the path guards' tests, and one way to ask what a call gets on them. */
import { canonicalName, readFacets } from "../../../src/agents/toolFacts";
import type { Args, ToolCall } from "../../../src/core/call";
import type { Decision } from "../../../src/core/decision";
import { pathAllowlist } from "../../../src/core/guards/pathAllowlist";
import { selfProtection } from "../../../src/core/guards/selfProtection";
import type { Hook } from "../../../src/core/hook";
import { type ImaginedWorld, imaginedFileSystem } from "../../../src/core/paths/imaginedFileSystem";

export type World = ImaginedWorld & { readonly cwd: string };

export const LINUX: World = {
  os: "linux",
  home: "/home/u",
  cwd: "/data/a",
  roots: ["/data/a"],
  links: {
    "/data/a/src/main.ts": null,
    "/data/a/docs": null,
    "/data/a/inner": "docs",
    "/data/a/out": "/data/secret",
    "/data/a/up": "..",
    "/data/a/docs/sub": null,
    "/data/a/deepin": "docs/sub",
    "/data/a/.vscode/tasks.json": "/data/a/elsewhere.json",
    ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/data/a/hop${i}`, `hop${i + 1}`])),
    "/data/a/self": "self",
    "/data/a/ring1": "ring2",
    "/data/a/ring2": "ring1",
    "/data/a/chain1": "chain2",
    "/data/a/chain2": "chain3",
    "/data/a/chain3": "/etc",
    "/data/a/dangling": "/nowhere/else",
    "/data/a/dangling-in": "not-yet",
    "/data/a/passwd.csv": "/etc/passwd",
    "/data/a/deep/link": "../../b",
    "/data/a/tmplink": "/tmp/x",
    "/data/a/key": "/home/u/.ssh/id_rsa",
    "/data/a/weird": "~",
    "/data/a/url": "file:///etc",
    "/data/a/rc": "/home/u/.bashrc",
    "/data/a/vs": ".vscode",
    "/data/a/.vscode": null,
    "/data/ab/x": null,
    "/data/secret/x": null,
    "/etc/passwd": null,
    "/tmp/evil": "/home/u/notes",
    "/usr/lib/python3": null,
    "/bin": "usr/bin",
    "/lib": "usr/lib",
    "/home/u/notes": null,
  },
};

export const DARWIN: World = {
  os: "darwin",
  home: "/Users/u",
  cwd: "/Users/u/Work/Café",
  roots: ["/Users/u/Work/Café"],
  links: {
    "/tmp": "private/tmp",
    "/var": "private/var",
    "/etc": "private/etc",
    "/private/tmp": null,
    "/private/var/folders/ab": null,
    "/private/etc/passwd": null,
    "/Users/u/Work/Café/src": null,
    "/Users/u/Work/Café/link": "/Users/u/Documents",
    "/Users/u/Documents": null,
  },
};

export const WIN: World = {
  os: "win32",
  home: "C:\\Users\\u",
  cwd: "C:\\Work\\Proj",
  roots: ["C:\\Work\\Proj"],
  links: {
    "C:\\Work\\Proj\\src": null,
    "C:\\Work\\Proj\\junction": "C:\\Secret",
    "C:\\Work\\Proj\\nt": "\\??\\D:\\Other\\",
    "C:\\Work\\Proj\\rel": "..\\Proj2",
    "C:\\Work\\Proj\\inner": "C:\\work\\PROJ\\src",
    "C:\\Secret": null,
    "C:\\Work\\Proj2": null,
    "C:\\Windows\\System32\\drivers\\etc\\hosts": null,
    "D:\\Other": null,
  },
};

let count = 0;

export function callOn(world: World, toolName: string, input: Args, extra: Args = {}): ToolCall {
  return {
    callId: `call-${++count}`,
    runId: "run",
    sessionId: "session",
    agent: "test",
    toolName,
    canonicalName: canonicalName(toolName),
    input,
    cwd: world.cwd,
    profile: "default",
    traceId: "trace",
    extra: { ...(world.os === "win32" ? { shell: "pwsh" } : {}), ...extra },
  };
}

export async function ask(hook: Hook, call: ToolCall): Promise<Decision> {
  const { sessionId, profile, traceId, extra } = call;
  const decision = await hook.preToolUse?.(
    { sessionId, profile, traceId, extra, call },
    call.toolName,
    call.input,
  );
  if (decision === undefined || decision === null || typeof decision !== "object")
    throw new Error("no decision");
  return decision;
}

export function allowlistOn(world: World, options: Partial<Parameters<typeof pathAllowlist>[0]> = {}): Hook {
  return pathAllowlist({
    roots: () => world.roots,
    extra: [],
    outside: "ask",
    fs: imaginedFileSystem(world),
    facets: readFacets,
    ...options,
  });
}

export function protectionOn(world: World, places: readonly string[] = []): Hook {
  return selfProtection({ fs: imaginedFileSystem(world), facets: readFacets, protectedPlaces: places });
}
