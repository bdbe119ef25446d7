/** The argument `sqlcl` of Oracle's tool server: SQL between commands of SQLcl itself. Judges nothing. */
import type { SqlFacet } from "../core/call";
import { takeClientCommands } from "../core/shell/clientCommands";
import { mayRunWithin } from "./sqlWords";

const SQLCL = { meta: "sqlplus", dialect: "oracle" } as const;
/** Commands of SQLcl that only show. */
const SHOWS = /^\s*(?:info\+?|information|ddl|history|tables|help|tnsping)(?:[ \t]+[\w.$#"]+){0,3}\s*;?\s*$/i;

/** Nothing where the text only shows something; a `why` where SQLcl itself does what it says. */
export function sqlclFacets(facet: SqlFacet): readonly SqlFacet[] {
  const { sql, acting } = takeClientCommands(facet.text, SQLCL);
  const own = { ...facet, dialect: facet.dialect ?? SQLCL.dialect };
  if (acting !== undefined)
    return [{ ...own, why: "A command of SQLcl itself may run a program or read a file." }];
  if (sql.trim() === "" || SHOWS.test(sql)) return [];
  if (!mayRunWithin(sql)) return [{ ...own, why: "What this command of SQLcl does is not known." }];
  return [{ ...own, text: sql }];
}
