/** Programs that speak to a host they are given on the command line: curl, wget, ssh and their kind. Judges nothing. */
import { UNKNOWN } from "../paths/shellWords";
import { readArguments, type Spec } from "./arguments";
import { type Destination, toAddress, toHost } from "./destination";
import { has, machine, values } from "./givenOptions";
import { hostOf, isAddress, scpHost } from "./hosts";
import { mail, names, netcat, openssl, socat } from "./rawPrograms";

type Read = (args: readonly string[], by: string) => readonly Destination[];

const CURL: Spec = {
  short: "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
  long: "--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to --cookie --cookie-jar --create-file-mode --crlfile --curves --data --data-ascii --data-binary --data-raw --data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-servers --doh-url --dump-header --egd-file --engine --etag-compare --etag-save --expect100-timeout --form --form-string --ftp-account --ftp-method --ftp-port --happy-eyeballs-timeout-ms --haproxy-clientip --header --hostpubmd5 --hsts --interface --ipfs-gateway --json --keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port --login-options --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --max-time --netrc-file --noproxy --oauth2-bearer --output --output-dir --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy --proxy-cacert --proxy-cert --proxy-header --proxy-key --proxy-pass --proxy-user --proxy1.0 --pubkey --quote --random-file --range --rate --referer --request --request-target --resolve --retry --retry-delay --retry-max-time --service-name --socks4 --socks4a --socks5 --socks5-hostname --speed-limit --speed-time --stderr --telnet-option --tftp-blksize --time-cond --tls-max --tls13-ciphers --trace --trace-ascii --trace-config --unix-socket --upload-file --url --url-query --user --user-agent --variable --write-out",
};
const CURL_SENDS = /^(-[dFT]|--(data.*|form.*|json|upload-file|url-query|mail-rcpt|quote)|-Q)$/;
const PROXIES = /^(-x|--(proxy|preproxy|proxy1\.0|socks4a?|socks5(-hostname)?|doh-url|dns-servers))$/;

const WGET: Spec = {
  short: "aoeiBtOTwQPUlARDIX",
  long: "--append-output --output-file --execute --input-file --base --tries --output-document --timeout --wait --quota --directory-prefix --user-agent --level --accept --reject --domains --exclude-domains --header --post-data --post-file --body-data --body-file --method --user --password --limit-rate --bind-address --ca-certificate --certificate --private-key --load-cookies --save-cookies --referer --http-user --http-password --waitretry --include-directories --exclude-directories",
};
const WGET_SENDS = /^--(post-data|post-file|body-data|body-file)$/;
const CHANGING = /^(post|put|patch|delete)$/i;

const SSH: Spec = { short: "BbcDEeFIiJLlmOoPpQRSWw" };
const SCP: Spec = { short: "cFiJloPSXD" };
const RSYNC: Spec = {
  short: "BeTfM",
  long: "--rsh --rsync-path --exclude --include --exclude-from --include-from --files-from --filter --bwlimit --timeout --port --password-file --log-file --temp-dir --partial-dir --backup-dir --suffix --compare-dest --copy-dest --link-dest --max-size --min-size --chmod --chown --out-format --info --debug",
};

export const WEB_PROGRAMS: Readonly<Record<string, Read>> = {
  curl,
  wget,
  http: httpie,
  https: httpie,
  xh: httpie,
  xhs: httpie,
  ssh: shell,
  autossh: shell,
  mosh: shell,
  telnet: first({}),
  ftp: first({}),
  tftp: first({}),
  lftp: first({ short: "cefpu" }),
  rlogin: first({ short: "l" }),
  whois: first({ short: "hp" }),
  ping: first({ short: "cIiWwsQtlMmpS" }),
  ping6: first({ short: "cIiWwsQtlMmpS" }),
  traceroute: first({ short: "fgiImNpqsSwz" }),
  mtr: first({ short: "cimoPsu" }),
  dig: names,
  drill: names,
  host: names,
  nslookup: names,
  "ssh-copy-id": first({ short: "iopF" }),
  "ssh-keyscan": first({ short: "fpTt" }),
  scp: copy(SCP),
  sftp: (args, by) =>
    readArguments(args, SCP)
      .operands.slice(0, 1)
      .map((text) => machine(text, { by, what: "send" })),
  rsync: copy(RSYNC),
  nc: netcat,
  ncat: netcat,
  netcat,
  "nc.openbsd": netcat,
  "nc.traditional": netcat,
  socat,
  openssl,
  swaks: mail,
  mail,
  mailx: mail,
  mutt: mail,
  sendmail: mail,
  msmtp: mail,
  "invoke-webrequest": powershell,
  iwr: powershell,
  "invoke-restmethod": powershell,
  irm: powershell,
  "start-bitstransfer": powershell,
  "send-mailmessage": (_args, by) => [toHost(null, { by, shown: by, what: "send" })],
  bitsadmin: (args, by) => args.filter(isAddress).map((text) => toAddress(text, { by })),
  certutil: (args, by) => args.filter(isAddress).map((text) => toAddress(text, { by })),
};

function curl(args: readonly string[], by: string): readonly Destination[] {
  const read = readArguments(args, CURL);
  const { options } = read;
  const sends = has(options, CURL_SENDS) || values(options, /^(-X|--request)$/).some((v) => CHANGING.test(v));
  const what = sends ? "send" : "take";
  const local = has(options, /^--(abstract-)?unix-socket$/);
  const out = local ? [] : addressed([...read.operands, ...values(options, /^--url$/)], { by, what });
  for (const proxy of values(options, PROXIES)) out.push(toAddress(proxy, { by, what: "send" }));
  for (const to of values(options, /^--(connect-to|resolve)$/)) out.push(redirected(to, by));
  // What stands in a file of options nobody reads here.
  if (has(options, /^(-K|--config)$/)) out.push(toHost(null, { by, what, shown: "--config" }));
  return out;
}

/** `--resolve host:port:address`, `--connect-to a:1:b:2`: the last name is where it really goes. */
function redirected(text: string, by: string): Destination {
  const parts = text.replace(/^[+-]/, "").split(":");
  const name = parts.length >= 4 && !/\[/.test(text) ? parts[2] : parts.slice(2).join(":");
  return toHost(hostOf(name ?? ""), { by, what: "send", shown: text });
}

/** A word without a scheme is an address too; `file:` is none of the network. */
function addressed(
  words: readonly string[],
  how: { readonly by: string; readonly what: Destination["what"] },
): Destination[] {
  return words.filter((word) => word !== "" && !/^file:/i.test(word)).map((word) => toAddress(word, how));
}

function wget(args: readonly string[], by: string): readonly Destination[] {
  const { operands, options } = readArguments(args, WGET);
  const sends = has(options, WGET_SENDS) || values(options, /^--method$/).some((v) => CHANGING.test(v));
  const what = sends ? "send" : "take";
  const out = addressed(operands, { by, what });
  for (const word of values(options, /^(-e|--execute)$/))
    if (/proxy/i.test(word)) out.push(toAddress(word.replace(/^[^=]*=\s*/, ""), { by, what: "send" }));
  if (has(options, /^(-i|--input-file)$/)) out.push(toHost(null, { by, what, shown: "--input-file" }));
  return out;
}

/** `http POST :8000/x a=b` */
function httpie(args: readonly string[], by: string): readonly Destination[] {
  const spec = {
    short: "apAos",
    long: "--auth --auth-type --output --session --verify --timeout --proxy --print --style --pretty --raw --download-as --cert --cert-key --default-scheme",
  };
  const { operands, options } = readArguments(args, spec);
  const [verb = ""] = operands;
  const named = /^[A-Z]{3,10}$/.test(verb);
  const [url, ...items] = named ? operands.slice(1) : operands;
  if (url === undefined) return [];
  const sends =
    has(options, /^--raw$/) ||
    CHANGING.test(named ? verb : "") ||
    items.some((item) => /[^=:]=[^=]|:=|@/.test(item));
  const own = /^:(\d|\/|$)/.test(url) ? `localhost${url}` : url;
  const proxies = values(options, /^--proxy$/).map((text) =>
    toAddress(text.replace(/^\w+:(?!\/\/)/, ""), { by, what: "send" }),
  );
  return [toAddress(own, { by, what: sends ? "send" : "take" }), ...proxies];
}

function shell(args: readonly string[], by: string): readonly Destination[] {
  const { operands, options } = readArguments(args, SSH);
  if (has(options, /^-[GQV]$/)) return [];
  // `ssh -T git@host` greets a host of repositories: no shell is given there.
  const greets = has(options, /^-T$/) && operands.length === 1 && /^git@/.test(operands[0] ?? "");
  const what = greets ? "take" : "send";
  const jumps = values(options, /^-J$/).flatMap((list) => list.split(","));
  return [...operands.slice(0, 1), ...jumps].map((text) => machine(text, { by, what }));
}

function first(spec: Spec): Read {
  return (args, by) =>
    readArguments(args, spec)
      .operands.slice(0, 1)
      .map((text) => machine(text, { by, what: "send" }));
}

function copy(spec: Spec): Read {
  return (args, by) => {
    const { operands } = readArguments(args, spec);
    return operands.flatMap((text, at) => {
      const host = isAddress(text) ? hostOf(text) : scpHost(text);
      if (host === undefined)
        return text.startsWith(UNKNOWN) && operands.length === 1 ? [toHost(null, { by, shown: text })] : [];
      return [toHost(host, { by, what: at === operands.length - 1 ? "send" : "take", shown: text })];
    });
  };
}

function powershell(args: readonly string[], by: string): readonly Destination[] {
  const { operands, options } = readArguments(
    args.map((word) => (/^-[a-z]/i.test(word) ? word.toLowerCase() : word)),
    {
      long: "-uri -source -destination -outfile -method -body -headers -infile -contenttype -useragent -proxy -credential -websession -sessionvariable -timeoutsec -maximumredirection -form -token -authentication",
    },
  );
  const given = [...values(options, /^-(uri|source)$/), ...operands].slice(0, 1);
  const sends =
    has(options, /^-(body|infile|form)$/) || values(options, /^-method$/).some((v) => CHANGING.test(v));
  const proxies = values(options, /^-proxy$/).map((text) => toAddress(text, { by, what: "send" }));
  return [...addressed(given, { by, what: sends ? "send" : "take" }), ...proxies];
}
