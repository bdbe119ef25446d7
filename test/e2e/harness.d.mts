import type { Browser, Page } from "playwright-core";

/** A real workbench with the packed extension, as far as tests in TypeScript use it. */
export interface Session {
  readonly dir: string;
  readonly workspace: string;
  readonly browser: Browser;
  readonly page: Page;
  readonly server: { readonly home: string; readonly extensionsDir: string; stop(): Promise<void> };
}

export function until<T>(
  look: () => T | Promise<T>,
  what: string,
  timeoutMs?: number,
): Promise<NonNullable<Awaited<T>>>;
export function openSession(options: {
  name: string;
  files?: Readonly<Record<string, string>>;
}): Promise<Session>;
export function closeSession(session: Session | undefined, options?: { failed?: boolean }): Promise<void>;
/** Runs code in the extension host; the value has gone through JSON. */
export function evaluate(session: Session, code: string): Promise<unknown>;
export function waitForModal(session: Session, pattern: RegExp, timeoutMs?: number): Promise<string>;
export function answerModal(session: Session, name: string): Promise<void>;
export function takePicture(session: Session, name: string): Promise<string>;
export function auditRecords(session: Session): readonly Readonly<Record<string, unknown>>[];
