/** Clients that are given their host by an option or as an operand of their own form. Judges nothing. */
import { readArguments, type Spec } from "./arguments";
import { type Destination, toAddress, toHost, toService } from "./destination";
import { values } from "./givenOptions";
import { hostOf, isAddress, scpHost } from "./hosts";

interface Client {
  readonly programs: RegExp;
  readonly spec: Spec;
  readonly host: RegExp;
}

const CLIENTS: readonly Client[] = [
  {
    programs: /^(?:mosquitto_(?:pub|sub|rr))$/,
    spec: { short: "hptmfuPiqkcVL", long: "--host --topic --message --file" },
    host: /^(?:-h|--host|-L|--url)$/,
  },
  {
    programs: /^(?:redis-cli|valkey-cli)$/,
    spec: { short: "hpnaurids", long: "--user --pass" },
    host: /^(?:-h|-u)$/,
  },
  {
    programs: /^(?:psql|pg_dump|pg_dumpall|pg_restore|createdb|dropdb|pgbench)$/,
    spec: { short: "hpUdcfvFPRTAonst", long: "--host --port --username --dbname --command --file" },
    host: /^(?:-h|--host)$/,
  },
  {
    programs: /^(?:mysql|mariadb|mysqldump|mariadb-dump|mysqladmin|mysqlimport)$/,
    spec: { short: "hPuDSe", long: "--host --port --user --database --execute --socket" },
    host: /^(?:-h|--host)$/,
  },
  {
    programs: /^(?:mongosh|mongo|mongodump|mongoexport)$/,
    spec: { long: "--host --port --eval --db" },
    host: /^--host$/,
  },
  {
    programs: /^(?:gh|glab)$/,
    spec: { short: "XfFHtqR", long: "--hostname --method --field --header --jq --repo" },
    host: /^--hostname$/,
  },
  { programs: /^(?:docker|podman|nerdctl)$/, spec: { short: "H", long: "--host" }, host: /^(?:-H|--host)$/ },
];

/** Of any program: what it is led through. */
const PROXY = /^--?(?:http-?|https-?)?proxy$/i;

export function hostDestinations(program: string, args: readonly string[]): readonly Destination[] {
  const out: Destination[] = [];
  const send = (text: string): Destination =>
    toHost(hostOf(text), { by: program, what: "send", shown: text });
  const ends = args.findIndex((word) => word === "run" || word === "exec");
  const client = CLIENTS.find(({ programs }) => programs.test(program));
  if (client !== undefined) {
    const own = /^(?:docker|podman|nerdctl)$/.test(program) && ends >= 0 ? args.slice(0, ends) : args;
    for (const text of values(readArguments(own, client.spec).options, client.host))
      if (!/^(?:[/@]|unix:|npipe:|fd:)/.test(text)) out.push(send(text));
  }
  args.forEach((word, at) => {
    const value = PROXY.test(args[at - 1] ?? "") ? word : /^--?(?:https?-?)?proxy=(.+)$/i.exec(word)?.[1];
    if (value !== undefined && !isAddress(value) && !value.startsWith("-"))
      out.push(toAddress(value, { by: program, what: "send" }));
  });
  const operands = args.filter((word) => !word.startsWith("-"));
  if (program === "grpcurl" || program === "ghz" || program === "evans")
    out.push(...operands.filter((word) => /^[\w.-]+:\d+$/.test(word)).map(send));
  if (program === "smbclient" || program === "mount.cifs" || program === "mount_smbfs")
    out.push(
      ...operands.flatMap((word) => /^(?:\/\/|\\\\)(?:[^@/\\]*@)?([^/\\]+)/.exec(word)?.[1] ?? []).map(send),
    );
  if (program === "sshfs" || program === "rclone")
    for (const word of operands) {
      const host = program === "sshfs" ? scpHost(word) : undefined;
      if (host !== undefined) out.push(toHost(host, { by: program, what: "send", shown: word }));
    }
  if (
    program === "rclone" &&
    args.some(
      (word) =>
        /^:\w+(?:,[^:]*)?:/.test(word) ||
        /^--(?:http-url|webdav-url|sftp-host|ftp-host|s3-endpoint)/.test(word),
    )
  )
    out.push(toService("a place that rclone is told on the command line", program));
  if (
    /^(?:code|code-insiders|cursor|code-tunnel)$/.test(program) &&
    /^(?:tunnel|serve-web)$/.test(operands[0] ?? "")
  )
    out.push(toService("a tunnel into this machine", program));
  if (program === "ipfs" && /^(?:add|name|pubsub|dag|files|pin)$/.test(operands[0] ?? ""))
    out.push(toService("the ipfs network", program));
  if (program === "go" && operands[0] === "env" && args.includes("-w"))
    for (const word of operands.slice(1)) {
      const value = /^(?:GOPROXY|GOSUMDB|GONOSUMDB|HTTPS?_PROXY)=(.+)$/.exec(word)?.[1]?.split(/[,|]/)[0];
      if (value !== undefined && !/^(?:off|direct)$/.test(value)) out.push(send(value));
    }
  return out;
}
