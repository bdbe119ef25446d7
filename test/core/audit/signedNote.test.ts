import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../../../src/core/audit/base64";
import type { JsonObject } from "../../../src/core/audit/canonical";
import { GENESIS, makeLine, type SignText } from "../../../src/core/audit/chain";
import {
  checkpointText,
  isFurther,
  parseAnchor,
  parseCheckpoint,
  parseCheckpointFile,
} from "../../../src/core/audit/checkpoint";
import { isApproval, isRecordSignedBy, isSigned, signedText } from "../../../src/core/audit/recordSignature";
import {
  formatNote,
  formatVerifierKey,
  isSignedBy,
  parseNote,
  parseVerifierKey,
  verifierKey,
} from "../../../src/core/audit/signedNote";
import { hashBytes, newSeed, signingKey, verifyEd25519 } from "../../../src/node/auditKeysEd25519";

/** Key and note from the documentation of Go's sumdb/note, which C2SP signed-note was written from. */
const VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const SEED = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const NOTE = `${TEXT}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

describe("the vector of the specification", () => {
  const key = parseVerifierKey(VKEY, hashBytes);
  const note = parseNote(NOTE);

  test("key and note are read, the signature holds", () => {
    expect(key?.name).toBe("PeterNeumann");
    expect(note?.text).toBe(TEXT);
    expect(key !== undefined && note !== undefined && isSignedBy(note, key, verifyEd25519)).toBe(true);
  });

  test("signed with its private key, the same bytes come out", () => {
    const signer = signingKey((fromBase64(SEED) ?? new Uint8Array()).slice(1));
    const own = verifierKey("PeterNeumann", signer.publicKey, hashBytes);
    expect(formatVerifierKey(own)).toBe(VKEY);
    const signature = signer.sign(Buffer.from(TEXT));
    expect(formatNote({ text: TEXT, signatures: [{ ...own, signature }] })).toBe(NOTE);
  });

  test.each([
    ["another text", NOTE.replace("problem is", "problem was")],
    ["another name", NOTE.replace("\u2014 PeterNeumann", "\u2014 PaulNeumann")],
    ["another key id", NOTE.replace("x08go", "x08gp")],
    ["another signature", NOTE.replace("JnAM=", "JnAQ=")],
  ])("%s: not signed by this key", (_what, changed) => {
    const parsed = parseNote(changed);
    expect(parsed).toBeDefined();
    expect(parsed !== undefined && key !== undefined && isSignedBy(parsed, key, verifyEd25519)).toBe(false);
  });
});

test.each([
  ["", "nothing"],
  ["a\n", "no signatures"],
  ["a\n\n", "none after the blank line"],
  [NOTE.slice(0, -1), "no LF at the end"],
  [NOTE.replace("\u2014 Peter", "- Peter"), "another dash"],
  [NOTE.replace("JnAM=", "JnAN="), "another spelling of the same bytes"],
  [NOTE.replace("JnAM=", "JnAM"), "no padding"],
  [NOTE.replace("PeterNeumann x08", "Peter Neumann x08"), "a space in the name"],
  [NOTE.replace("then", "\u0000then"), "a control character"],
  [NOTE.replace("then", "\ud800then"), "a lone surrogate"],
  [NOTE.replace("then", "\rthen"), "a carriage return"],
])("no note: %#", (text, _why) => {
  expect(parseNote(text)).toBeUndefined();
});

test.each([
  VKEY.replace("c74f20a3", "c74f20a4"),
  VKEY.replace("PeterNeumann", "Peter"),
  VKEY.replace("c74f20a3", "C74F20A3"),
  VKEY.replace("+ARpc", "+AhpC"),
  VKEY.slice(0, -4),
  `${VKEY}=`,
  VKEY.replace("PeterNeumann", "Peter Neumann"),
  "",
])("no verifier key: %s", (text) => {
  expect(parseVerifierKey(text, hashBytes)).toBeUndefined();
});

describe("checkpoints", () => {
  const at = { logId: "log_01J", segment: 2, size: 1000, root: new Uint8Array(32).fill(9) };
  const signer = signingKey(newSeed());
  const key = verifierKey("countersign/log_01J", signer.publicKey, hashBytes);
  const noteAt = (size: number): string => {
    const text = checkpointText({ ...at, size });
    return formatNote({ text, signatures: [{ ...key, signature: signer.sign(Buffer.from(text)) }] });
  };

  test("written and read back", () => {
    expect(checkpointText(at)).toBe(`countersign/log_01J/2\n1000\n${toBase64(at.root)}\n`);
    expect(parseCheckpoint(checkpointText(at))).toEqual(at);
  });

  test.each([
    checkpointText(at).replace("/2\n", "/0\n"),
    checkpointText(at).replace("/2\n", "/02\n"),
    checkpointText(at).replace("1000", "01000"),
    checkpointText(at).replace("1000", "9999999999999999"),
    `${checkpointText(at)}more\n`,
    checkpointText(at).replace("countersign", "other"),
    checkpointText(at).replace("CQk=", "CQl="),
  ])("no checkpoint: %#", (text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });

  test.each([
    { what: "three", text: [noteAt(1), noteAt(2), noteAt(3)].join("\n"), sizes: [1, 2, 3] },
    { what: "none", text: "", sizes: [] },
    { what: "last cut", text: `${noteAt(1)}\n${noteAt(2).slice(0, -9)}`, sizes: [1], torn: true },
    {
      what: "cut in the middle, gone on after it",
      text: `${noteAt(1)}\n${noteAt(2).slice(0, 40)}\n\n${noteAt(3)}`,
      sizes: [1, 3],
      strange: [7],
    },
    { what: "strange words first", text: `hello\n\n${noteAt(1)}`, sizes: [1], strange: [1] },
  ])("a file with $what", ({ text, sizes, torn = false, strange = [] }) => {
    const file = parseCheckpointFile(text);
    expect(file.checkpoints.map(({ checkpoint }) => checkpoint.size)).toEqual(sizes);
    expect({ torn: file.torn, strange: file.strange }).toEqual({ torn, strange });
    for (const { note, line } of file.checkpoints) {
      expect(isSignedBy(note, key, verifyEd25519)).toBe(true);
      expect(text.split("\n")[line - 1]).toBe("countersign/log_01J/2");
    }
  });

  test("further on: segment first, then size", () => {
    expect(isFurther({ segment: 2, size: 1 }, { segment: 1, size: 9 })).toBe(true);
    expect(isFurther({ segment: 1, size: 9 }, { segment: 1, size: 9 })).toBe(false);
    expect(isFurther({ segment: 1, size: 9 }, { segment: 2, size: 1 })).toBe(false);
  });

  test("an anchor is read back; anything else is none", () => {
    const anchor = { log_id: "l", segment: 1, size: 2, root: toBase64(at.root), head: "h", ts: "t" };
    expect(parseAnchor(JSON.stringify(anchor))).toEqual(anchor);
    for (const wrong of [{ segment: 0 }, { size: -1 }, { root: "x" }, { head: 1 }, { size: 1.5 }])
      expect(parseAnchor(JSON.stringify({ ...anchor, ...wrong }))).toBeUndefined();
  });
});

describe("signatures of records", () => {
  const signer = signingKey(newSeed());
  const key = verifierKey("countersign/log_01J", signer.publicKey, hashBytes);
  const record = {
    v: 1,
    seq: 7,
    event: "human_choice",
    log_id: "log_01J",
    data: { choice: "allow" },
    error: null,
  };
  const sig = toBase64(signer.sign(Buffer.from(signedText(record, 2))));

  test("covers all but itself and the chain's own fields", () => {
    expect(signedText({ ...record, sig: "s", prev_hash: "p", record_hash: "r" }, 2)).toBe(
      '{"data":{"choice":"allow"},"error":null,"event":"human_choice","log_id":"log_01J","segment":2,"seq":7,"v":1}',
    );
  });

  test.each([
    { what: "as signed", change: {}, holds: true },
    { what: "in another chain", change: { prev_hash: "x", record_hash: "y" }, holds: true },
    { what: "another choice", change: { data: { choice: "deny" } }, holds: false },
    { what: "another number", change: { seq: 8 }, holds: false },
    { what: "another log", change: { log_id: "log_02" }, holds: false },
    { what: "one field more", change: { by: "x" }, holds: false },
    { what: "no signature", change: { sig: null }, holds: false },
    { what: "a signature cut short", change: { sig: sig.slice(0, 80) }, holds: false },
  ])("$what", ({ change, holds }) => {
    const at = { key, verify: verifyEd25519 };
    expect(isRecordSignedBy({ ...record, sig, ...change }, { ...at, segment: 2 })).toBe(holds);
    // The same bytes in another file of the log.
    expect(isRecordSignedBy({ ...record, sig, ...change }, { ...at, segment: 3 })).toBe(false);
  });

  test.each<{ fields: JsonObject; sign: SignText | undefined; sig: string | undefined }>([
    { fields: { event: "human_choice" }, sign: () => "sig", sig: "sig" },
    { fields: { event: "human_choice", sig: "theirs" }, sign: () => "sig", sig: "sig" },
    { fields: { event: "human_choice", sig: "theirs" }, sign: () => undefined, sig: undefined },
    { fields: { event: "human_choice", sig: "theirs" }, sign: undefined, sig: undefined },
    { fields: { event: "call", sig: "theirs" }, sign: () => "sig", sig: undefined },
  ])("a line has the signature of its writer or none: %#", ({ fields, sign, sig }) => {
    const stamp = { ts: "t", logId: "l", writer: { pid: 1, version: "1", role: "cli" } };
    const at = { before: GENESIS, stamp, hash: () => "h" };
    const { record } = makeLine(fields, sign === undefined ? at : { ...at, sign });
    expect(record.sig).toBe(sig);
  });

  test.each([
    ["human_choice", true, true],
    ["grant", true, true],
    ["trust", true, true],
    ["config_accepted", true, true],
    ["switch", true, true],
    ["log.open", false, true],
    ["log.key", false, true],
    ["log.checkpoint", false, true],
    ["log.heartbeat", false, true],
    ["log.segment", false, false],
    ["log.recovered", false, false],
    ["call", false, false],
    ["toString", false, false],
    [undefined, false, false],
  ])("%s: approval %s, signed %s", (event, approval, signed) => {
    expect([isApproval(event), isSigned(event)]).toEqual([approval, signed]);
  });
});
