/** Checks an HTTP handler's configuration and makes it ready to be asked. Knows nothing of rules. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { messageOf } from "../../core/errors";
import type { HandlerConfig } from "../../core/rules/schemaHandlers";
import { expandNames, namesVariables } from "./environment";
import { runHttp } from "./http";
import { type KeyProblem, nothing, type Prepared, type Surroundings, unfit } from "./prepare";

type HttpConfig = Extract<HandlerConfig, { type: "http" }>;

/** What belongs to the exchange itself. */
const RESERVED =
  /^(?:host|content-(?:length|type|encoding)|transfer-encoding|connection|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i;

export function prepareHttp(config: HttpConfig, name: string, around: Surroundings): Prepared {
  const url = addressOf(config.url);
  const headers: Record<string, string> = {};
  const problems: KeyProblem[] = url instanceof URL ? [] : [url];
  for (const [header, text] of Object.entries(config.headers ?? {})) {
    const value = headerOf(header, text, around.env);
    if (typeof value === "string") headers[header] = value;
    else problems.push(value);
  }
  if (!(url instanceof URL) || problems.length > 0) return unfit(...problems);
  return {
    problems,
    reached: nothing,
    run: (event, signal) => runHttp({ name, url, headers }, event, signal),
  };
}

function addressOf(text: string): URL | KeyProblem {
  const wrong = (message: string, suggestion: string): KeyProblem => ({ path: ["url"], message, suggestion });
  if (namesVariables(text)) return wrong("an address holds no variables", "put the secret in a header");
  if (!URL.canParse(text)) return wrong("this is no address", "write https://host/path");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return wrong("an address holds no name or password", "put them in a header");
  }
  const loopback =
    url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && loopback)) return url;
  return wrong("only https://, or http:// on this machine, is asked", "write https://");
}

/** The value is never in a message. */
function headerOf(header: string, text: string, env: Surroundings["env"]): string | KeyProblem {
  const path = ["headers", header];
  if (RESERVED.test(header))
    return { path, message: `${header} is set by the exchange itself`, suggestion: "remove it" };
  const expanded = expandNames(text, env);
  if (!expanded.ok) return { path, message: expanded.message, suggestion: expanded.suggestion };
  try {
    validateHeaderName(header);
    validateHeaderValue(header, expanded.text);
    return expanded.text;
  } catch (error) {
    return { path, message: messageOf(error) };
  }
}
