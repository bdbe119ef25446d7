/** Jumps to a record: asks where it stands, and takes away what hides it. Knows nothing of how the list is drawn. */
import type { HostMessage, JumpTarget } from "../src/panel/messages";
import type { PageMessage } from "../src/panel/protocol";
import type { Jump, PanelState } from "./storeState";

type Located = Extract<HostMessage, { type: "located" }>;

export interface JumpSeam {
  token(): number;
  send(message: PageMessage): void;
  update(change: Partial<PanelState>): void;
  /** Another choice of rows. */
  choose(change: Partial<PanelState>): void;
  select(line: number): void;
}

const LIFTED = { filter: { filter: {} }, upkeep: { upkeep: "shown" } } as const;

export function storeJumps({ token, send, update, choose, select }: JumpSeam) {
  let serial = 0;
  let seeking: { readonly target: JumpTarget; readonly to: Jump["to"] } | null = null;

  function locate(): void {
    if (seeking !== null) send({ type: "locate", token: token(), target: seeking.target });
  }

  return {
    goTo(target: JumpTarget): void {
      seeking = { target, to: "focus" };
      update({ notThere: null });
      locate();
    },
    /** Keeps a row in view through another choice of rows, if it is still listed. */
    keepInView(line: number): void {
      seeking = { target: { line }, to: "view" };
      locate();
    },
    take({ target, found, hidden, token: of }: Located): void {
      if (seeking === null || of !== token() || JSON.stringify(target) !== JSON.stringify(seeking.target))
        return;
      const { to } = seeking;
      if (found === null && hidden !== null && to === "focus") {
        choose(LIFTED[hidden]);
        locate();
        return;
      }
      seeking = null;
      if (found === null) {
        if (to === "focus") update({ notThere: target });
        return;
      }
      serial += 1;
      update({ jump: { position: found.position, serial, to } });
      if (to === "focus") select(found.line);
    },
  };
}
