/** The entities that a run is told before its agent starts. Keeps them; making aliases of them is the alias door's part. */
import { stableText } from "../core/values";
import { HookError } from "./hookRunErrors";

export interface Entity {
  /** `person_name`, `email`, … */
  readonly type: string;
  readonly value: string;
  readonly role?: "public" | "private";
  /** Entities of one identity are one person. */
  readonly identity?: string;
}

const KEYS: readonly string[] = ["type", "value", "role", "identity"];

export interface Seeds {
  /** Throws a HookError for what is no entity, and for one that was seeded with another role. All or none are taken. */
  add(entities: readonly Entity[]): void;
  count(): number;
}

export function createSeeds(): Seeds {
  let known: ReadonlyMap<string, Entity> = new Map();
  return {
    add(entities) {
      if (!Array.isArray(entities))
        throw new HookError("seed takes a list of { type, value, role?, identity? }");
      const next = new Map(known);
      for (const [index, entity] of entities.entries()) {
        checkEntity(entity, index);
        const key = stableText([entity.type, entity.value]);
        const before = next.get(key);
        if (before !== undefined && before.role !== entity.role) {
          throw new HookError(
            `entity ${index}: ${entity.type} was seeded as ${before.role ?? "private"} and is now ${entity.role ?? "private"}`,
          );
        }
        next.set(key, { ...entity });
      }
      known = next;
    },
    count: () => known.size,
  };
}

function checkEntity(entity: unknown, index: number): void {
  const say = (what: string): HookError => new HookError(`entity ${index}: ${what}`);
  if (typeof entity !== "object" || entity === null) throw say("must be { type, value, role?, identity? }");
  const unknown = Object.keys(entity).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw say(`has an unknown key \`${unknown}\`; known: ${KEYS.join(", ")}`);
  const { type, value, role, identity } = entity as Partial<Entity>;
  if (typeof type !== "string" || type === "") throw say("type must be text");
  if (typeof value !== "string" || value === "") throw say("value must be text");
  if (role !== undefined && role !== "public" && role !== "private")
    throw say("role must be public or private");
  if (identity !== undefined && typeof identity !== "string") throw say("identity must be text");
}
