/**
 * Lets a test run code in the extension host: a loopback endpoint that exists only where the test's environment asks
 * for it, and answers only to the token in that environment.
 */
const { timingSafeEqual } = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const vscode = require("vscode");

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

function isToken(given, token) {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** `spec` is `<token>:<file>`: the port is written to the file once the endpoint listens. */
exports.listen = (context, spec) => {
  const [token, file] = [spec.slice(0, spec.indexOf(":")), spec.slice(spec.indexOf(":") + 1)];
  if (token.length < 32) throw new Error("The evaluation endpoint needs a token of 32 characters.");
  const server = http.createServer(async (request, response) => {
    if (!isToken(request.headers.authorization, token)) {
      response.writeHead(403).end();
      return;
    }
    try {
      const value = await new AsyncFunction("vscode", "require", await body(request))(vscode, require);
      response.end(JSON.stringify(value ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error?.stack ?? error));
    }
  });
  server.listen(0, "127.0.0.1", () => fs.writeFileSync(file, String(server.address().port)));
  context.subscriptions.push({ dispose: () => server.close() });
};
