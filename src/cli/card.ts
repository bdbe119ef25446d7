/** `countersign card …`: picks what is to be done with cards of policies. Holds no logic of any of it. */
import { subcommands } from "./subcommands";

const USAGE = `usage: countersign card new @HANDLE/NAME [--dir DIR]
       countersign card source add-hook|remove-hook|doctor CARD …
       countersign card push CARD [--to FOLDER]
       countersign card install [CARD[@RANGE]] [--from FOLDER]
       countersign card uninstall CARD
       countersign card trust|untrust CARD --hooks [--range RANGE]
       countersign card list [--json]

Policies in TypeScript, and the cards that carry them. countersign card <word> --help tells more; docs/policies.md shows the way.
`;

export const runCard = subcommands("card", USAGE, {
  new: async () => (await import("./cardNew")).runCardNew,
  source: async () => (await import("./cardSource")).runCardSource,
  push: async () => (await import("./cardPush")).runCardPush,
  install: async () => (await import("./cardInstall")).runCardInstall,
  uninstall: async () => (await import("./cardInstall")).runCardUninstall,
  trust: async () => (await import("./cardTrust")).runCardTrust,
  untrust: async () => (await import("./cardTrust")).runCardUntrust,
  list: async () => (await import("./cardList")).runCardList,
});
