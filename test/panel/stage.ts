/** The real page in a real browser, joined to the real host session by a stand-in for `acquireVsCodeApi`. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { panelHtml } from "../../src/host/panelHtml";
import { type PanelSession, type PanelSources, panelSession } from "../../src/host/panelSession";
import { verifyFile } from "../../src/node/auditVerify";
import type { Clock, Log } from "../../src/ports";
import { type Theme, themeCss } from "./themes";

/** What the editor writes on the body. */
const BODY: Readonly<Record<Theme, string>> = {
  dark: "vscode-dark",
  light: "vscode-light",
  contrast: "vscode-high-contrast",
};

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms) {
    let id: ReturnType<typeof setTimeout> | undefined;
    const done = new Promise<void>((resolve) => {
      id = setTimeout(resolve, ms);
    });
    return { done, cancel: () => clearTimeout(id) };
  },
};

export interface Stage {
  readonly browser: Browser;
  open(
    options: Partial<PanelSources> & {
      language?: string;
      strings?: Readonly<Record<string, string>>;
      path: string;
      theme?: Theme;
      width?: number;
      height?: number;
      reuse?: BrowserContext;
    },
  ): Promise<Scene>;
  close(): Promise<void>;
}

export interface Scene {
  readonly page: Page;
  readonly session: PanelSession;
  /** Everything the page sent. */
  readonly sent: unknown[];
  /** Messages of the browser that are complaints. */
  readonly complaints: string[];
  readonly log: string[];
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-panel-"));
  await build({
    entryPoints: ["webview-ui/main.ts"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "chrome132",
    outfile: join(folder, "panel.js"),
    logLevel: "silent",
  });
  const script = await readFile(join(folder, "panel.js"), "utf8");
  const style = await readFile(join(folder, "panel.css"), "utf8");
  /** The document of each panel, made at its opening as in the editor. */
  const documents = new Map<string, () => Promise<string>>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const made = documents.get(pathname);
    if (made === undefined) return void response.writeHead(204).end();
    void made().then((html) => response.setHeader("content-type", "text/html").end(html));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let opened = 0;
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });

  return {
    browser,
    async open(options) {
      const theme = options.theme ?? "dark";
      const context =
        options.reuse ??
        (await browser.newContext({
          viewport: { width: options.width ?? 1400, height: options.height ?? 820 },
          locale: "en-GB",
          timezoneId: "UTC",
          reducedMotion: "reduce",
        }));
      const page = await context.newPage();
      const sent: unknown[] = [];
      const complaints: string[] = [];
      const lines: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      const note = (message: string) => void lines.push(message);
      const log: Log = { info: note, warn: note, error: note };
      let closed = false;
      const session = panelSession({
        auditPath: () => options.path,
        chainState: () => ({ state: "ok", message: "Every call is checked" }),
        counts: () => ({ allow: 128, asks_user: 6, denied: 4, rewrite: 2 }),
        verify: verifyFile,
        pickExport: async () => undefined,
        pending: () => [],
        answer: () => undefined,
        openLog: () => undefined,
        locale: options.language ?? "en-GB",
        ...options,
        strings: options.strings ?? {},
        clock: realClock,
        log,
        post(message) {
          if (!closed)
            void page.evaluate((data) => window.postMessage(data, "*"), message).catch(() => undefined);
        },
      });
      await page.exposeFunction("sendToHost", (message: unknown) => {
        sent.push(message);
        session.receive(message);
      });
      await page.addInitScript(() => {
        const scope = window as unknown as Record<string, unknown>;
        new MutationObserver((_changes, observer) => {
          if (document.querySelector('.rows .row[data-decision]:not([data-decision="loading"])') === null)
            return;
          scope.firstRow = performance.now();
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true, attributes: true });
        scope.acquireVsCodeApi = () => ({
          postMessage: (message: unknown) => void (scope.sendToHost as (message: unknown) => void)(message),
          getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null"),
          setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
        });
      });
      opened += 1;
      // Made once: a panel that is hidden and shown again gets the document it had.
      const made = session.first().then((first) =>
        panelHtml({
          nonce: "n0nce",
          script,
          style: `${themeCss(theme)}\n${style}`,
          language: options.language ?? "en",
          title: "Audit log",
          first,
        }).replace("<body>", `<body class="${BODY[theme]}">`),
      );
      documents.set(`/${opened}`, () => made);
      await page.goto(`${origin}/${opened}`);
      return {
        page,
        session,
        sent,
        complaints,
        log: lines,
        async close() {
          closed = true;
          session.dispose();
          await (options.reuse === undefined ? context.close() : page.close());
        },
      };
    },
    async close() {
      await browser.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
