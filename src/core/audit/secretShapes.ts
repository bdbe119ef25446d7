/** Secrets known by their looks: vendor prefixes and fixed forms, as data. Every pattern is bounded and starts at a word edge, so that time stays linear. */

export interface SecretShape {
  readonly type: string;
  /** A text without a match holds none: a cheap look before the pattern. */
  readonly gate: RegExp;
  /** Global; matches the secret alone. */
  readonly pattern: RegExp;
}

/** Type, beginnings separated by spaces (as patterns, sharp enough that ordinary text has none), and the secret from its first letter on. */
type Row = readonly [type: string, gates: string, body: string];

/** Prefixes as their makers document them, and as the rules of gitleaks and secretlint (both MIT) know them. */
const PREFIXED: readonly Row[] = [
  [
    "aws",
    "A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}",
    "(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])",
  ],
  [
    "aws",
    "A(?:GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{16}",
    "A(?:GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  ],
  ["aws", "ABSK bedrock-api-key-", "(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{40,1024}={0,2}"],
  ["github", "ghs_", "ghs_\\d{1,20}_[A-Za-z0-9_-]{1,1000}\\.[A-Za-z0-9_-]{1,4096}\\.[A-Za-z0-9_-]{1,1000}"],
  ["github", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9_]{30,512}"],
  ["github", "github_pat_", "github_pat_[A-Za-z0-9_]{22,512}"],
  [
    "gitlab",
    "gl[a-z]{2,5}-[A-Za-z0-9_.-]{16}",
    "gl(?:pat|ptt|rt|rtr|dt|cbt|agent|oas|ft|ffct|soat|imt|wt)-[A-Za-z0-9_.-]{16,512}",
  ],
  ["gitlab", "GR1348941", "GR1348941[A-Za-z0-9_-]{16,64}"],
  ["slack", "xox xapp", "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{8,512}"],
  ["stripe", "sk_ rk_", "(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,512}"],
  ["stripe", "whsec_", "whsec_[A-Za-z0-9+/=]{16,512}"],
  ["model-key", "sk-[A-Za-z0-9_-]{20}", "sk-(?=[A-Za-z0-9_-]{0,200}[0-9])[A-Za-z0-9_-]{20,512}"],
  ["model-key", "gsk_ pplx- xai- r8_", "(?:gsk_|pplx-|xai-|r8_)[A-Za-z0-9]{32,128}"],
  ["google", "AIza", "AIza[A-Za-z0-9_-]{35}"],
  ["google", "ya29\\. GOCSPX-", "(?:ya29\\.[A-Za-z0-9_.-]{20,2048}|GOCSPX-[A-Za-z0-9_-]{20,64})"],
  ["google", "1//0", "1//0[A-Za-z0-9_-]{40,256}"],
  ["npm", "npm_[A-Za-z0-9_]{36}", "npm_(?!config_|package_|lifecycle_|node_)[A-Za-z0-9_]{36,64}"],
  ["pypi", "pypi-", "pypi-[A-Za-z0-9_-]{50,1024}"],
  ["rubygems", "rubygems_", "rubygems_[a-f0-9]{48}"],
  ["clojars", "CLOJARS_", "CLOJARS_[A-Za-z0-9]{60}"],
  ["huggingface", "hf_[A-Za-z0-9]{8} api_org_", "(?:hf|api_org)_[A-Za-z0-9]{30,64}"],
  [
    "sendgrid",
    "SG\\.[A-Za-z0-9=._-]{16}",
    "SG\\.(?:(?=[A-Za-z=_.-]{0,100}\\d)[A-Za-z0-9=_.-]{16,160}|[A-Za-z0-9=_.-]{40,160})",
  ],
  ["sendinblue", "xkeysib-", "xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"],
  ["mailgun", "key-[a-f0-9]{8}", "key-[a-f0-9]{32}(?![A-Za-z0-9])"],
  ["mailchimp", "-us\\d", "[a-f0-9]{32}-us\\d{1,2}(?![A-Za-z0-9])"],
  ["twilio", "SK[0-9a-fA-F]{8}", "SK[0-9a-fA-F]{32}(?![A-Za-z0-9])"],
  ["digitalocean", "do[opr]_v1_", "do[opr]_v1_[a-f0-9]{64}"],
  ["vault", "hv[sbr]\\.", "hv[sbr]\\.[A-Za-z0-9_-]{20,512}"],
  ["databricks", "dapi[a-fA-F0-9]{4}", "dapi[a-fA-F0-9]{32}(?:-\\d)?"],
  ["shopify", "shp(?:at|ca|pa|ss|pat|pca|ppa|pss)_", "shp(?:at|ca|pa|ss|pat|pca|ppa|pss)_[A-Za-z0-9]{32,64}"],
  ["linear", "lin_", "lin_(?:api|oauth)_[A-Za-z0-9_]{32,128}"],
  ["postman", "PMAK-", "PMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{34}"],
  ["doppler", "dp\\.[a-z]{2,5}\\.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9.]{40,64}"],
  ["terraform", "\\.atlasv1\\.", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,100}"],
  ["grafana", "glsa_ glc_", "(?:glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/=]{32,512})"],
  ["newrelic", "NR[A-Z]{2}-", "NR(?:AK|II|JS|AL|RA)-[A-Za-z0-9-]{19,40}"],
  ["docker", "dckr_", "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,128}"],
  [
    "atlassian",
    "ATATT3 ATCTT3 ATBB",
    "(?:AT[AC]TT3[A-Za-z0-9_=-]{50,512}|ATBB[A-Za-z0-9]{28,40}(?![A-Za-z0-9]))",
  ],
  ["figma", "figd_ figoh_ figor_ figu_", "fig(?:d|oh|or|u)_[A-Za-z0-9_-]{30,256}"],
  [
    "notion",
    "ntn_ secret_[A-Za-z0-9]{40}",
    "(?:ntn_[A-Za-z0-9]{40,64}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])",
  ],
  ["supabase", "sbp_ sb_secret_", "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,128})"],
  ["planetscale", "pscale_", "pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,128}"],
  ["telegram", ":AA", "\\d{8,10}:AA[A-Za-z0-9_-]{33}"],
  ["age", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{50,64}"],
  [
    "1password",
    "A3-[A-Z0-9]{6}-",
    "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])",
  ],
  ["1password", "ops_ey", "ops_ey[A-Za-z0-9+/=_-]{60,2048}"],
  ["adobe", "p8e-", "p8e-[A-Za-z0-9]{32}(?![A-Za-z0-9])"],
  ["airtable", "pat[A-Za-z0-9]{14}\\.", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"],
  ["alibaba", "LTAI", "LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"],
  ["artifactory", "AKCp cmVmd", "(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})(?![A-Za-z0-9])"],
  [
    "authress",
    "\\.acc[_-]",
    "(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
  ],
  ["clickhouse", "4b1d[A-Za-z0-9]{38}", "4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])"],
  ["cloudflare", "v1\\.0-[a-f0-9]{4}", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}"],
  ["cloudflare", "cfk_ cfut_ cfat_", "cf(?:k|ut|at)_[A-Za-z0-9]{40,64}"],
  ["duffel", "duffel_", "duffel_(?:test|live)_[A-Za-z0-9_=-]{40,64}"],
  ["dynatrace", "dt0[a-z]\\d{2}\\.", "dt0[a-z]\\d{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}"],
  ["easypost", "EZAK EZTK", "EZ[AT]K[A-Za-z0-9]{54}"],
  ["facebook", "EAA[A-Za-z0-9]{40}", "EAA[A-Za-z0-9]{80,400}"],
  ["flutterwave", "FLWSECK", "FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?"],
  ["fly", "fo1_ fm1[ar]_ fm2_", "(?:fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{60,2048}={0,3})"],
  ["frameio", "fio-u-", "fio-u-[A-Za-z0-9_=-]{64}"],
  [
    "harness",
    "pat\\.[A-Za-z0-9_-]{22} sat\\.[A-Za-z0-9_-]{22}",
    "[ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}",
  ],
  ["heroku", "HRKU-", "HRKU-[A-Za-z0-9_-]{36,80}"],
  ["infracost", "ico-[A-Za-z0-9]{32}", "ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])"],
  ["intra42", "s-s4t2", "s-s4t2(?:ud|af)-[a-f0-9]{64}"],
  ["maxmind", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"],
  ["octopus", "API-[A-Z0-9]{26}", "API-[A-Z0-9]{26}(?![A-Za-z0-9])"],
  ["openshift", "sha256~", "sha256~[A-Za-z0-9_-]{43}"],
  ["prefect", "pnu_ pnb_", "pn[ub]_[A-Za-z0-9]{36}"],
  ["pulumi", "pul-", "pul-[a-f0-9]{40}"],
  ["readme", "rdme_", "rdme_[a-z0-9]{70}"],
  ["scalingo", "tk-us-", "tk-us-[A-Za-z0-9_-]{48}"],
  ["sentry", "sntry[us]_", "sntry[us]_[A-Za-z0-9+/=_-]{40,512}"],
  ["settlemint", "sm_[aps]at_", "sm_[aps]at_[A-Za-z0-9]{16}"],
  ["shippo", "shippo_", "shippo_(?:live|test)_[a-fA-F0-9]{40}"],
  ["sourcegraph", "sgp_", "sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"],
  ["square", "EAAA[A-Za-z0-9_-]{22} sq0[a-z]{3}-", "(?:EAAA|sq0[a-z]{3}-)[A-Za-z0-9_-]{22,64}"],
  ["tailscale", "tskey-", "tskey-[a-z]{2,20}-[0-9A-Za-z_]{8,40}-[0-9A-Za-z_]{16,60}"],
  ["vercel", "vc[piark]_", "vc[piark]_[A-Za-z0-9]{20,60}"],
  ["azure", "Q~", "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}"],
  ["jwt", "eyJ", "eyJ[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{0,8192}"],
  // A password as a system stores it: it can be guessed at leisure.
  [
    "password-hash",
    "\\$(?:[1567y]|2[abxy]|argon2(?:id|i|d))\\$",
    "\\$(?:[1567y]|2[abxy]|argon2(?:id|i|d))\\$[A-Za-z0-9./=,$+-]{20,256}",
  ],
];

/** So sharp that letters before them do not make them words: `xghp_…` in an id. */
const ANYWHERE: readonly Row[] = [
  ["github", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_(?=[A-Za-z]{0,35}\\d)[A-Za-z0-9]{36,255}"],
  ["github", "github_pat_", "github_pat_[A-Za-z0-9_]{60,255}"],
  ["gitlab", "glpat-", "glpat-(?=[A-Za-z_-]{0,19}\\d)[A-Za-z0-9_-]{20,64}"],
  ["stripe", "_live_", "[sr]k_live_[A-Za-z0-9]{24,128}"],
  ["npm", "npm_", "npm_(?=[A-Za-z]{0,35}\\d)[A-Za-z0-9]{36,64}"],
];

/** The body of a private key without its head and foot: what its first bytes say in base64. */
const KEY_BODIES: Row = [
  "private-key",
  "MII[A-Za-z0-9+/]{3}IBA MIG[A-Za-z0-9+/]AgEAM MC4CAQAw MHcCAQEE b3BlbnNzaC1rZXkt",
  "(?:MII[A-Za-z0-9+/]{3}IBA(?:DAN|AKC|AKB)|MII[A-Za-z0-9+/]{2,4}IBAAKB|MIG[A-Za-z0-9+/]AgEAM|MC4CAQAwBQYDK2V|MHcCAQEE|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{12,16384}={0,2}(?:(?:\\\\r)?(?:\\\\n|\\r?\\n)[A-Za-z0-9+/]{4,128}={0,2}){0,400}",
];

/** In an address whose path is the secret. */
const IN_ADDRESSES: readonly Row[] = [
  [
    "slack",
    "hooks\\.slack\\.com",
    "(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)(?![A-Za-z0-9]{1,20}/[A-Za-z0-9]{1,20}/X{8})[A-Za-z0-9_/]{20,200}",
  ],
  ["discord", "/api/webhooks/", "(?<=/api/webhooks/\\d{5,30}/)[A-Za-z0-9_-]{20,200}"],
  ["teams", "/IncomingWebhook/", "(?<=/IncomingWebhook/)[A-Za-z0-9/-]{20,200}"],
];

const shape = ([type, gates, body]: Row, edge: string): SecretShape => ({
  type,
  gate: new RegExp(gates.replaceAll(" ", "|")),
  pattern: new RegExp(`${edge}(?:${body})`, "g"),
});

/** Long bodies only where no other could begin within them: the time would grow with the square. */
function edgeOf([type, gates]: Row): string {
  if (type === "telegram") return "(?<!\\d)";
  return type === "jwt" || gates === "ghs_" ? "(?<![A-Za-z0-9_-])" : "(?<![A-Za-z0-9])";
}

export const SECRET_SHAPES: readonly SecretShape[] = [
  // A bot's token stands behind the word "bot" in an address.
  ...PREFIXED.map((row) => shape(row, edgeOf(row))),
  ...[...ANYWHERE, ...IN_ADDRESSES].map((row) => shape(row, "")),
  shape(KEY_BODIES, "(?<![A-Za-z0-9+/])"),
];
