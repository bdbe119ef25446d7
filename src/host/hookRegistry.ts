/** Hooks that other extensions add at run time. Knows nothing of the chains they end up in. */
import type { Hook } from "../core/hook";
import { adapt } from "../core/hookAnswer";

export interface HookRegistry {
  /** Throws a TypeError for something that is no hook, or a name that is taken. */
  add(hook: Hook): { dispose(): void };
  all(): readonly Hook[];
  /** Changes whenever a hook comes or goes: a chain built for another one is stale. */
  version(): number;
}

const RESERVED: ReadonlySet<string> = new Set([
  "path_allowlist",
  "destructive_sql",
  "self_protection",
  "shell",
  "egress",
  "written_files",
  "changed_hooks",
  "ran_other_arguments",
  "read_only",
  "row_limit",
  "quota",
  "audit_log",
  "audit_health",
  "engine_refusal",
  "unaccepted_config",
  "security",
  "person",
  "consent",
]);

export function hookRegistry(): HookRegistry {
  const hooks: Hook[] = [];
  let version = 0;
  return {
    add(given) {
      const hook = adapt(given);
      if (RESERVED.has(hook.name) || hooks.some((other) => other.name === hook.name)) {
        throw new TypeError(`the name "${hook.name}" is taken`);
      }
      hooks.push(hook);
      version += 1;
      return {
        dispose() {
          const at = hooks.indexOf(hook);
          if (at < 0) return;
          hooks.splice(at, 1);
          version += 1;
        },
      };
    },
    all: () => [...hooks],
    version: () => version,
  };
}
