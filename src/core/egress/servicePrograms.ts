/** Programs that carry things to a service they know by themselves: registries, clouds, tunnels. Rows of data and the few readers they need. */
import { type Destination, toHost, toService } from "./destination";
import { hostOf, repositoryOf } from "./hosts";

export interface ServiceRow {
  readonly programs: string;
  /** What follows the program, options taken off; absent = any use of it. */
  readonly verbs?: RegExp;
  /** The same words with these are no sending. */
  readonly unless?: RegExp;
  readonly to: string;
}

/** What is published can be read by everybody: each asks once. */
export const SERVICES: readonly ServiceRow[] = [
  {
    programs: "npm pnpm bun yarn",
    verbs: /^(publish|npm publish)\b/,
    unless: /--dry-run|-n\b/,
    to: "the npm registry, to publish",
  },
  {
    programs: "npx",
    verbs: /^(vsce|@vscode\/vsce|ovsx) publish\b/,
    to: "the extension marketplace, to publish",
  },
  { programs: "vsce ovsx", verbs: /^publish\b/, to: "the extension marketplace, to publish" },
  { programs: "twine", verbs: /^upload\b/, to: "the Python package index, to publish" },
  {
    programs: "poetry uv flit hatch pdm",
    verbs: /^publish\b/,
    unless: /--dry-run/,
    to: "the Python package index, to publish",
  },
  { programs: "cargo", verbs: /^publish\b/, unless: /--dry-run|-n\b/, to: "the crates registry, to publish" },
  { programs: "gem", verbs: /^push\b/, to: "the gem registry, to publish" },
  { programs: "dotnet nuget", verbs: /^(nuget )?push\b/, to: "the NuGet gallery, to publish" },
  { programs: "mvn mvnw", verbs: /\bdeploy\b/, to: "the Maven repository, to publish" },
  {
    programs: "gradle gradlew",
    verbs: /\bpublish/,
    unless: /publishToMavenLocal/,
    to: "the Maven repository, to publish",
  },
  { programs: "helm", verbs: /^push\b/, to: "a chart registry, to publish" },
  {
    programs: "vercel",
    unless: /^(--version|-v|help|dev|build|env|link|pull|ls|list|logs|whoami|login)\b/,
    to: "vercel.com",
  },
  { programs: "netlify", verbs: /^deploy\b/, to: "netlify.com" },
  { programs: "firebase", verbs: /^(deploy|hosting:channel:deploy)\b/, to: "firebase hosting" },
  {
    programs: "wrangler",
    verbs: /^(deploy|publish|pages deploy|r2 object put|kv key put)\b/,
    unless: /--dry-run/,
    to: "cloudflare workers",
  },
  { programs: "fly flyctl", verbs: /^(deploy|launch)\b/, to: "fly.io" },
  { programs: "heroku", verbs: /^(create|container:push|builds:create)\b/, to: "heroku.com" },
  { programs: "railway", verbs: /^up\b/, to: "railway.app" },
  { programs: "gcloud", verbs: /^(app|run|functions) deploy\b/, to: "google cloud, to deploy" },
  { programs: "surge", to: "surge.sh" },
  { programs: "ngrok", verbs: /^(http|tcp|tls|start|tunnel)\b/, to: "an ngrok tunnel" },
  { programs: "cloudflared", verbs: /\btunnel\b/, to: "a cloudflared tunnel" },
  { programs: "lt localtunnel", to: "a localtunnel tunnel" },
  { programs: "bore", verbs: /^local\b/, to: "a bore tunnel" },
  { programs: "tailscale", verbs: /^(funnel|serve|file cp)\b/, to: "a tailscale peer" },
  { programs: "croc", verbs: /^send\b/, to: "a croc transfer" },
  { programs: "wormhole", verbs: /^(send|ssh)\b/, to: "a wormhole transfer" },
  { programs: "transfer ffsend wetransfer", to: "a file transfer service" },
  { programs: "pastebinit ix termbin wgetpaste gist", to: "a paste service" },
  { programs: "ntfy", verbs: /^(pub|publish|send|trigger)\b/, to: "ntfy.sh" },
];

const BUCKET = /^(s3|gs|az|oss|b2|r2|minio):\/\/([^/]+)/;

/** `npx surge .` is surge. */
function runBy(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (!/^(npx|bunx|pnpx|uvx|pipx|pnpm|yarn|bun)$/.test(program)) return [program, args];
  const at = args.findIndex((word) => !word.startsWith("-") && !/^(exec|dlx|run|x)$/.test(word));
  const name =
    args[at]
      ?.replace(/(?<=.)@[\w.^~-]+$/, "")
      .split("/")
      .at(-1) ?? "";
  return SERVICES.some(({ programs }) => programs.split(" ").includes(name))
    ? [name, args.slice(at + 1)]
    : [program, args];
}

export function serviceDestinations(named: string, given: readonly string[]): readonly Destination[] {
  const [program, args] = runBy(named, given);
  const words = args.filter((word) => !word.startsWith("-")).join(" ");
  const all = args.join(" ");
  const published = SERVICES.flatMap(({ programs, verbs, unless, to }) => {
    if (!programs.split(" ").includes(program)) return [];
    if (verbs !== undefined && !verbs.test(words)) return [];
    return unless?.test(all) === true ? [] : [toService(to, program)];
  });
  return [...published, ...buckets(program, args), ...github(program, args), ...images(program, args)];
}

/** The last operand of a copy is where it goes. */
function buckets(program: string, args: readonly string[]): readonly Destination[] {
  if (args.some((word) => /^--dry-?run(=true)?$/.test(word))) return [];
  const operands = args.filter((word) => !word.startsWith("-"));
  const verb = operands.find((word) =>
    /^(cp|mv|sync|rsync|put|put-object|upload|upload-batch|copy|copyto|move|moveto|mirror|rcat)$/.test(word),
  );
  switch (program) {
    case "aws":
      if (verb === "put-object") return [toService(`s3://${optionValue(args, "--bucket")}`, program)];
      return /^s3$/.test(operands[0] ?? "") && verb !== undefined ? lastBucket(operands, program) : [];
    case "gsutil":
    case "s3cmd":
    case "ossutil":
      return verb === undefined ? [] : lastBucket(operands, program);
    case "gcloud":
      return operands[0] === "storage" && verb !== undefined ? lastBucket(operands, program) : [];
    case "az":
      return operands[0] === "storage" && verb !== undefined && /upload|copy/.test(verb)
        ? [toService(`azure storage ${optionValue(args, "--account-name")}`.trim(), program)]
        : [];
    case "azcopy":
      return operands
        .slice(-1)
        .flatMap((text) =>
          /^https?:/.test(text)
            ? [{ ...toHost(hostOf(text), { by: program, what: "send", shown: text }) }]
            : [],
        );
    case "rclone":
    case "mc": {
      const last = operands.at(-1) ?? "";
      const remote = program === "rclone" ? /^([\w-]{2,}):/.exec(last)?.[1] : /^([\w-]+)\/\w/.exec(last)?.[1];
      return verb === undefined || remote === undefined
        ? []
        : [toService(`the ${program} remote ${remote}`, program)];
    }
    default:
      return [];
  }
}

function lastBucket(operands: readonly string[], by: string): readonly Destination[] {
  const [whole] = BUCKET.exec(operands.at(-1) ?? "") ?? [];
  return whole === undefined ? [] : [toService(whole, by)];
}

function optionValue(args: readonly string[], name: string): string {
  const own = args.find((word) => word.startsWith(`${name}=`));
  return own?.slice(name.length + 1) ?? args[args.indexOf(name) + 1] ?? "";
}

const GH_CHANGES =
  /^(pr|issue|release|repo|secret|variable|workflow|gist|label|run|cache|ssh-key|gpg-key|codespace|project|extension|api)$/;
const GH_READS =
  /^(list|ls|view|status|diff|checks|checkout|download|watch|clone|browse|search|ports|logs|develop|install|upgrade|remove|view-log|field-list|item-list|set-default|cancel|rerun|enable|disable)$/;

/** Without `--repo` gh works on the repository it stands in. */
function github(program: string, args: readonly string[]): readonly Destination[] {
  if (program !== "gh" && program !== "glab") return [];
  const [noun = "", verb = "", third = ""] = args.filter((word) => !word.startsWith("-"));
  const site = program === "gh" ? "github.com" : "gitlab.com";
  if (noun === "gist" && /^(create|edit)$/.test(verb)) return [toService(`gist.${site}`, program)];
  if (noun === "repo" && /^(create|fork)$/.test(verb))
    return [toService(`a new repository on ${site}`, program)];
  if (noun === "repo" && verb === "sync") return [];
  if (noun === "codespace" && /^(cp|ssh)$/.test(verb)) return [toService(`a codespace on ${site}`, program)];
  if (noun === "api") return apiCall(args, verb, site);
  const at = args.findIndex((word) => word === "-R" || word === "--repo" || word.startsWith("--repo="));
  if (at < 0 || !GH_CHANGES.test(noun) || GH_READS.test(verb)) return [];
  const named = args[at]?.startsWith("--repo=") ? args[at]?.slice(7) : args[at + 1];
  return [toRepository(site, named ?? third, program)];
}

function apiCall(args: readonly string[], path: string, site: string): readonly Destination[] {
  const sends = args.some(
    (word, at) =>
      /^(-f|-F|--field|--raw-field|--input)(=|$)/.test(word) ||
      (/^(-X|--method)$/.test(word) && !/^get$/i.test(args[at + 1] ?? "")) ||
      /^(-X|--method=)(?!get$)./i.test(word),
  );
  if (!sends) return [];
  const named = /(?:^|\/)repos\/([^/{]+\/[^/{?]+)/.exec(path)?.[1];
  if (/repos\/\{owner\}/.test(path)) return [];
  return named === undefined ? [toService(`the API of ${site}`, "gh")] : [toRepository(site, named, "gh")];
}

function toRepository(site: string, name: string, by: string): Destination {
  const address =
    repositoryOf(`https://${/^[^/]+\/[^/]+\//.test(name) ? name : `${site}/${name}`}`) ?? `${site}/${name}`;
  return {
    host: site,
    what: "send",
    key: `git ${address}`,
    shown: name,
    by,
    repository: address,
    folders: [""],
  };
}

const IMAGE =
  /^(?:docker:\/\/|oci:\/\/)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)+(?::\d+)?|localhost(?::\d+)?|[a-z0-9_-]+:\d+)\/[\w./-]+(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?$/i;

/** `docker push host/name` carries an image there; a name without a host is the public hub's. */
function images(program: string, args: readonly string[]): readonly Destination[] {
  if (!/^(docker|podman|nerdctl|buildah|skopeo|crane|oras)$/.test(program)) return [];
  const operands = args.filter((word) => !word.startsWith("-"));
  const pushes = /^(?:(?:image|compose|manifest|buildx) )?push\b/.test(operands.join(" "));
  const copies = /^(skopeo|crane|oras)$/.test(program) && /^(copy|cp|sync)$/.test(operands[0] ?? "");
  const hostPart = (text: string) => IMAGE.exec(text)?.[1];
  const out = operands.slice(1).flatMap((text, at, all) => {
    const host = /^docker:\/\//.test(text) ? text.slice(9).split("/")[0] : hostPart(text);
    const sends =
      pushes || (copies && at === all.length - 1) || (program === "skopeo" && operands[0] === "delete");
    return host === undefined
      ? []
      : [toHost(hostOf(host), { by: program, what: sends ? ("send" as const) : "take", shown: text })];
  });
  if (/^login$/.test(operands[0] ?? ""))
    return operands
      .slice(1, 2)
      .map((text) => toHost(hostOf(text), { by: program, what: "send", shown: text }));
  if (!pushes || out.length > 0 || operands[0] === "compose")
    return pushes && operands[0] === "compose"
      ? [toService("the registry of the compose file, to publish", program)]
      : out;
  const name = operands.at(-1) ?? "";
  return [toService(`docker.io/${name.split(":")[0]?.split("/")[0] ?? name}, to publish`, program)];
}
