/** What one window remembers of each session's ways out: hosts that were let through, secrets that were seen. Pure; decides nothing. */

export interface EgressMemory {
  /** Which secrets the session has seen, in the order in which it did. */
  sources(session: string): readonly string[];
  /** True where the session was let through to this place since it last saw a secret. */
  knows(session: string, place: string): boolean;
  /** A call begins to be judged: what it is let through to counts for what was known then. */
  began(session: string, callId: string): void;
  letThrough(session: string, callId: string, places: readonly string[]): void;
  /** The session saw a secret: what it was let through to before counts no longer. */
  saw(session: string, source: string): void;
}

interface Session {
  places: Set<string>;
  sources: string[];
}

const MAX_SESSIONS = 500;
const MAX_PLACES = 500;
const MAX_SOURCES = 20;
const MAX_CALLS = 2000;

export function egressMemory(): EgressMemory {
  const sessions = new Map<string, Session>();
  const calls = new Map<string, number>();
  const of = (key: string): Session => {
    const known = sessions.get(key) ?? { places: new Set(), sources: [] };
    // Re-inserted, so that the session which was silent longest is forgotten first.
    sessions.delete(key);
    sessions.set(key, known);
    forgetFirst(sessions, MAX_SESSIONS);
    return known;
  };
  return {
    sources: (session) => sessions.get(session)?.sources ?? [],
    knows: (session, place) => sessions.get(session)?.places.has(place) === true,
    began(session, callId) {
      calls.set(callId, of(session).sources.length);
      forgetFirst(calls, MAX_CALLS);
    },
    letThrough(session, callId, places) {
      const known = of(session);
      // A secret was seen while the call was under way: nobody knew of it when it was let through.
      if (calls.get(callId) !== known.sources.length) return;
      for (const place of places) if (known.places.size < MAX_PLACES) known.places.add(place);
    },
    saw(session, source) {
      const known = of(session);
      if (known.sources.includes(source)) return;
      // Full: the last one stands for the rest, and still takes back what was let through.
      if (known.sources.length >= MAX_SOURCES) known.sources.splice(MAX_SOURCES - 1, 1);
      known.sources.push(source);
      known.places.clear();
    },
  };
}

function forgetFirst(map: Map<string, unknown>, most: number): void {
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}
