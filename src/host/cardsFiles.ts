/** Every file of a card as one read-only text, for a person who is asked to trust it. Trusts nothing. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { TrustPrompt } from "../core/cards/trustRequest";
import { visibleText } from "../core/visible";
import { readOnlyTexts } from "./rulesLens";

const SCHEME = "countersign-card";
/** Who went away from the files has not agreed. */
const READING_MS = 10 * 60_000;

export interface CardsFiles {
  readonly provider: vscode.Disposable;
  readonly show: (prompt: TrustPrompt, lines: readonly string[]) => Promise<boolean>;
}

export function cardsFiles(): CardsFiles {
  const texts = readOnlyTexts(SCHEME);
  return {
    provider: texts.provider,
    async show(prompt, lines) {
      const parts = await Promise.all(prompt.files.map(fileText));
      const { card, version } = prompt;
      await texts.show(`${card} ${version}.txt`, [...lines, "", ...parts].join("\n"));
      const answer = vscode.l10n.t("Answer now");
      const asked = vscode.window.showInformationMessage(
        vscode.l10n.t("These are the files of {0}. Answer once you have read them.", card),
        answer,
      );
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), READING_MS);
      });
      const picked = await Promise.race([asked, tooLong]);
      clearTimeout(timer);
      return picked === answer;
    },
  };
}

async function fileText({ path, absolute, sha256 }: TrustPrompt["files"][number]): Promise<string> {
  const bytes = await readFile(absolute);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256)
    throw new Error(vscode.l10n.t("{0} changed while the dialog was open", path));
  return `════ ${visibleText(path)}\n${textOf(bytes)}\n`;
}

function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.split("\n").map(visibleText).join("\n");
  } catch {
    return vscode.l10n.t("({0} bytes that are no text)", bytes.length);
  }
}
