/** Reads comments, and what only looks like one, as one dialect does. Knows no quote and no statement. */
import { aloneOnLine, nameEnd, push, type State, suspect } from "./lexState";
import { blockCommentEnd } from "./quoting";

export function dashComments(state: State): boolean {
  if (!state.profile.dashNeedsBlank) return true;
  const third = state.text.charCodeAt(state.at + 2);
  return Number.isNaN(third) || third <= 32 || third === 127;
}

const ODD_BREAK = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/;

export function lineComment(state: State): number {
  const { text, at, profile } = state;
  let end = text.indexOf("\n", at);
  if (end < 0) end = text.length;
  const body = text.slice(at, end);
  const odd = ODD_BREAK.exec(body.endsWith("\r") ? body.slice(0, -1) : body);
  if (odd !== null) {
    suspect(state, "line break in a comment");
    if (profile.returnEndsComment && body.includes("\r")) end = at + body.indexOf("\r");
  }
  return end;
}

export function hash(state: State): number {
  const { profile } = state;
  if (profile.hash === "comment") return lineComment(state);
  if (profile.hash === "operator") return push(state, "op", state.at + 1, "#");
  const end = nameEnd(state, state.at);
  return push(state, "word", end, state.text.slice(state.at, end));
}

export function slash(state: State, next: number): number {
  const { text, at, profile } = state;
  if (next === 47 && profile.slashComment) return lineComment(state);
  if (next !== 42) {
    const ends = profile.slashLine && aloneOnLine(text, at, at + 1);
    return push(state, ends ? "end" : "op", at + 1, "/");
  }
  if (profile.executable !== "none") {
    const header = /^\/\*[Mm]?!\d{0,6}/.exec(text.slice(at, at + 12));
    if (header !== null) {
      suspect(state, "executable comment");
      if (profile.executable === "run") {
        state.running++;
        return at + header[0].length;
      }
    }
  }
  const end = blockCommentEnd(text, at, profile.nestedComment);
  if (end >= 0) return end;
  return profile.openComment ? text.length : push(state, "bad", text.length);
}

export function closeRunning(state: State): number {
  state.running--;
  return state.at + 2;
}
