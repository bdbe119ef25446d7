/** A thread that reads SQL with the rules and asks real parsers about it, so that neither keeps anyone else waiting. Runs no SQL and decides nothing. */
import { parentPort } from "node:worker_threads";
import { readSql } from "../../core/guards/readSql";
import { inexactParser } from "./inexactParser";
import type { Parse, ParseQuestion, SqlReply, SqlRequest } from "./parseMessages";
import { postgresParser } from "./postgresParser";
import { packVerdict } from "./sentVerdict";
import { sqliteParser } from "./sqliteParser";

type Warn = (message: string) => void;

const loaded = new Map<string, Parse>();

async function load(dialect: string, warn: Warn): Promise<Parse> {
  const known = loaded.get(dialect);
  if (known !== undefined) return known;
  const parse = await parserFor(dialect, warn);
  loaded.set(dialect, parse);
  return parse;
}

async function parserFor(dialect: string, warn: Warn): Promise<Parse> {
  if (dialect === "sqlite") return sqliteParser() ?? (await inexactParser(dialect));
  if (dialect !== "postgres" && dialect !== "redshift") return inexactParser(dialect);
  const exact = await postgresParser().catch((error: unknown) => {
    warn(`PostgreSQL's own parser cannot be loaded: ${String(error)}`);
    return undefined;
  });
  if (dialect === "postgres") return exact ?? doubtful(await inexactParser(dialect));
  const inexact = await inexactParser(dialect);
  return exact === undefined ? inexact : cousin(exact, inexact);
}

/** A stand-in may object; its yes is not the yes that was wanted. */
function doubtful(parse: Parse): Parse {
  return (request) => {
    const said = parse(request);
    return said === "reads" ? "refuses" : said;
  };
}

/** Redshift has words of its own: PostgreSQL's refusal says nothing about them. */
function cousin(exact: Parse, inexact: Parse): Parse {
  return (request) => {
    const said = exact(request);
    return said === "reads" || said === "acts" ? said : inexact(request);
  };
}

parentPort?.on("message", (request: SqlRequest) => {
  void answer(request);
});

const reply = (message: SqlReply) => parentPort?.postMessage(message);

/** A parser that cannot be loaded, or fails in itself, ends the thread, which its owner takes for no answer. */
async function answer(request: SqlRequest): Promise<void> {
  const { id } = request;
  if (!("read" in request)) return parse(id, request);
  reply({ id, kind: "loaded" });
  const verdict = readSql(request.read, request.dialects);
  reply({ id, kind: "read", verdict: packVerdict(verdict) });
}

async function parse(id: number, question: ParseQuestion): Promise<void> {
  const ask = await load(question.dialect, (message) => reply({ id, kind: "warning", message }));
  reply({ id, kind: "loaded" });
  reply({ id, kind: "said", says: ask(question) });
}
