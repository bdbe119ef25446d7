/** Hosts that program text reaches when it speaks to the network: `fetch("https://…")`, `socket.connect(("host", 1))`. Judges nothing. */
import { type Destination, toAddress, toHost } from "./destination";

/** A call that reaches the network, in the languages agents write. */
const REACHES =
  /\bfetch\s*\(|\brequests?\s*\.\s*(?:get|post|put|patch|delete|head|request|Session)\b|\burlopen\s*\(|\burlretrieve\b|\bhttpx\s*\.|\baiohttp\b|\bhttp\.client\b|\b(?:node:)?(?:https?|http2|net|tls|dgram)["'`]?(?:\s*\))?\s*\.\s*(?:get|request|connect|createConnection|createSocket)\s*\(|\baxios\b|\bgot\s*\(|\bWebSocket\s*\(|\bsocket\s*\.\s*(?:socket|create_connection)\b|\bsocket\s*\.\s*connect|\bNet::HTTP\b|\bopen-uri\b|\bURI\.open\b|LWP::|\bLWP\b|\bIO::Socket\b|\bcurl_(?:init|exec)\b|\bfsockopen\b|\bstream_socket_client\b|\bTCPSocket\b|\bsmtplib\b|\bftplib\b|\bparamiko\b|\bdns\s*\.\s*(?:lookup|resolve)|\bgethostbyname\b|\bDownload(?:String|File|Data)\b|\bUpload(?:String|File|Data)\b|\bNet\.WebClient\b|\bHttpClient\b|\bXMLHTTP\b|file_get_contents\s*\(\s*["']https?:/i;
const ADDRESSES = /\b(?:https?|wss?|ftp|sftp|smtp):\/\/[^\s'"`<>)\\,]+/gi;
const QUOTED_HOST = /["'`]((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}|\d{1,3}(?:\.\d{1,3}){3}|localhost)["'`]/gi;
const FILE_ENDING =
  /\.(?:py|js|mjs|cjs|ts|json|txt|csv|md|html?|xml|ya?ml|toml|log|db|sqlite|rb|php|sh|png|jpe?g|path|env|get|post|request|client|parse|error|exists|join|read|write)$/i;

/** Methods that carry something. */
const SENDS =
  /\b(?:post|put|patch|upload\w*|send\w*|sendall|data\s*=|json\s*=|body\s*:|method\s*:\s*["'](?:POST|PUT|PATCH))\b/i;

export function codeDestinations(code: string, by: string): readonly Destination[] {
  if (!REACHES.test(code)) return [];
  const what = SENDS.test(code) ? "send" : "take";
  const addresses = [...new Set(code.match(ADDRESSES) ?? [])].map((text) => toAddress(text, { by, what }));
  const hosts = [...code.matchAll(QUOTED_HOST)].flatMap(([, host = ""]) =>
    FILE_ENDING.test(host) ? [] : [toHost(host.toLowerCase(), { by, what, shown: host })],
  );
  const all = [...addresses, ...hosts];
  return all.length > 0 ? all : [toHost(null, { by, what, shown: `code of ${by}` })];
}
