/** Asks about SQL in a thread that can be ended: a real parser's opinion, which may only make a verdict stricter, and the rules' verdict on texts that take long to read. Decides nothing. */

import type { SecondOpinion } from "../../core/guards/destructiveSql";
import { hasExactParser } from "../../core/guards/exactParsers";
import { findDialect } from "../../core/sql/dialects";
import type { Says } from "./parseMessages";
import { parserText } from "./parserText";
import { unpackVerdict } from "./sentVerdict";
import { createSqlThread, type Limits, onlyLoad, type SqlThreadOptions } from "./sqlThread";

/**
 * The guard has four seconds for everything (`DEADLINE_MS` in destructiveSql.ts): a long text is read and then, if it is
 * short enough for that, shown to a parser. Both waits together stay below it.
 */
const PARSE: Limits = { wait: 1500, work: 250 };
const READ: Limits = { wait: 1800, work: 1800 };
const WARM: Limits = { work: 250 };

const DIALECTS: ReadonlySet<string> = new Set([
  "postgres",
  "redshift",
  "mysql",
  "mariadb",
  "sqlite",
  "tsql",
  "bigquery",
  "snowflake",
]);

type Opinion = Awaited<ReturnType<SecondOpinion["judge"]>>;

const OPINIONS: Readonly<Record<Says, Opinion>> = {
  reads: "agrees",
  acts: "stricter",
  refuses: "unverified",
  "refuses-exact": "refuses-exact",
};

export interface SecondOpinionOptions extends SqlThreadOptions {
  /** Limits other than the usual ones. */
  readonly limits?: { readonly parse?: Limits; readonly read?: Limits };
}

export interface SecondOpinions extends SecondOpinion {
  /** Ends the thread. */
  close(): Promise<void>;
}

export function createSecondOpinion(options: SecondOpinionOptions): SecondOpinions {
  const thread = createSqlThread(options);
  const { parse = PARSE, read = READ } = options.limits ?? {};
  return {
    async judge(text, dialect) {
      const name = parsedDialect(dialect);
      if (name === undefined) return "agrees";
      const shown = parserText(text, name);
      if (shown === undefined) return "unverified";
      const answer = await thread.ask(shown, parse);
      if (answer?.kind !== "said") return "unverified";
      const opinion = OPINIONS[answer.says];
      return opinion === "refuses-exact" && !hasExactParser(dialect) ? "unverified" : opinion;
    },
    async read(text, dialects) {
      const answer = await thread.ask({ read: text, dialects }, read);
      return answer?.kind === "read" ? unpackVerdict(answer.verdict) : undefined;
    },
    async warmUp(dialect) {
      const name = parsedDialect(dialect);
      if (name !== undefined) await thread.ask(onlyLoad(name), WARM);
    },
    close: () => thread.close(),
  };
}

function parsedDialect(dialect: string): string | undefined {
  const name = findDialect(dialect)?.name;
  return name !== undefined && DIALECTS.has(name) ? name : undefined;
}
