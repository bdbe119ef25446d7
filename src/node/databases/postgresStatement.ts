/** Runs one statement by PostgreSQL's extended protocol, which refuses a second one in the same text, and stops reading rows in time. Judges nothing. */
import type { Client, Submittable } from "pg";
import { type RowCollector, toInteger } from "./cells";

export interface StatementOptions {
  readonly text: string;
  readonly rows: RowCollector;
  /** Rows to fetch at most; absent = the statement runs to its end, as one that changes something must. */
  readonly fetch?: number;
}

export interface StatementDone {
  /** "SELECT 5", "INSERT 0 1", "DROP TABLE"; empty when it was stopped before its end. */
  readonly tag: string;
  readonly columns: readonly string[];
}

/** The part of pg's wire connection that this protocol needs; pg types none of it. */
interface Wire {
  parse(message: { text: string }): void;
  bind(message: Record<string, never>): void;
  describe(message: { type: "P" }): void;
  execute(message: { rows?: number }): void;
  close(message: { type: "P" }): void;
  flush(): void;
  sync(): void;
  sendCopyFail(message: string): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

export function runStatement(client: Client, options: StatementOptions): Promise<StatementDone> {
  return new Promise((resolve, reject) => {
    let fields: readonly Field[] = [];
    let tag = "";
    let failed = false;
    let copies = false;
    const handlers = {
      submit(wire: Wire) {
        wire.parse({ text: options.text });
        wire.bind({});
        wire.describe({ type: "P" });
        wire.execute(options.fetch === undefined ? {} : { rows: options.fetch });
        wire.flush();
      },
      handleRowDescription(message: { fields: readonly Field[] }) {
        fields = message.fields;
      },
      handleDataRow(message: { fields: readonly (string | null)[] }) {
        options.rows.add(message.fields.map((text, i) => fromText(text, fields[i]?.dataTypeID ?? 0)));
      },
      handlePortalSuspended(wire: Wire) {
        wire.close({ type: "P" });
        wire.sync();
      },
      handleCommandComplete(message: { text: string }, wire: Wire) {
        tag = message.text;
        wire.sync();
      },
      handleEmptyQuery(wire: Wire) {
        wire.sync();
      },
      handleCopyInResponse(wire: Wire) {
        wire.sendCopyFail("COPY FROM STDIN has no input here; use the import tool.");
      },
      // COPY .. TO STDOUT: a line of text is a row of one column.
      handleCopyData(message: { chunk: Uint8Array }) {
        copies = true;
        options.rows.add([lineOf(message.chunk)]);
      },
      handleError(error: Error, wire: Wire | undefined) {
        failed = true;
        // The server skips all messages until the next sync.
        wire?.sync();
        reject(error);
      },
      handleReadyForQuery() {
        if (failed) return;
        const columns = copies ? ["copy"] : fields.map((field) => field.name);
        resolve({ tag: copies ? tag.replace("COPY", "SELECT") : tag, columns });
      },
    };
    client.query(handlers as unknown as Submittable);
  });
}

function lineOf(chunk: Uint8Array): string {
  return Buffer.from(chunk)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Values arrive as text; types without an exact JSON form stay text. */
function fromText(text: string | null, type: number): unknown {
  if (text === null) return null;
  switch (type) {
    case 16:
      return text === "t";
    case 20:
    case 21:
    case 23:
    case 26:
      return toInteger(text);
    case 700:
    case 701: {
      const number = Number(text);
      return Number.isFinite(number) ? number : text;
    }
    case 17:
      return text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex") : text;
    default:
      return text;
  }
}
