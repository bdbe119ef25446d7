/** Secrets known by their looks: vendor prefixes and fixed forms, as data. Every pattern is bounded and starts at a word edge, so that time stays linear. */

export interface SecretShape {
  readonly type: string;
  /** The text must hold one of these before the pattern is tried. */
  readonly gates: readonly string[];
  /** Global; matches the secret alone. */
  readonly pattern: RegExp;
}

function prefixed(type: string, gates: readonly string[], body: string): SecretShape {
  return { type, gates, pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${body})`, "g") };
}

export const SECRET_SHAPES: readonly SecretShape[] = [
  prefixed("aws", ["AKIA", "ASIA", "ABIA", "ACCA"], "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  prefixed("github", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "gh[pousr]_[A-Za-z0-9]{30,512}"),
  prefixed("github", ["github_pat_"], "github_pat_[A-Za-z0-9_]{22,512}"),
  prefixed("gitlab", ["gl"], "gl(?:pat|ptt|rt|dt|cbt|agent|oas|ft|soat|imt)-[A-Za-z0-9_.-]{16,512}"),
  prefixed("slack", ["xox", "xapp"], "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,512}"),
  {
    type: "slack",
    gates: ["hooks.slack.com"],
    pattern: /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9_/]{20,200}/g,
  },
  prefixed(
    "stripe",
    ["sk_", "rk_", "whsec_"],
    "(?:(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,512}|whsec_[A-Za-z0-9+/=]{16,512})",
  ),
  prefixed("model-key", ["sk-"], "sk-(?=[A-Za-z0-9_-]{0,200}[0-9])[A-Za-z0-9_-]{20,512}"),
  prefixed("google", ["AIza"], "AIza[A-Za-z0-9_-]{35}"),
  prefixed("google", ["ya29.", "GOCSPX-"], "(?:ya29\\.[A-Za-z0-9_.-]{20,2048}|GOCSPX-[A-Za-z0-9_-]{20,64})"),
  prefixed("npm", ["npm_"], "npm_[A-Za-z0-9]{36,64}"),
  prefixed("pypi", ["pypi-"], "pypi-[A-Za-z0-9_-]{50,512}"),
  prefixed("huggingface", ["hf_"], "hf_[A-Za-z0-9]{30,64}"),
  prefixed("sendgrid", ["SG."], "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}"),
  prefixed("twilio", ["SK"], "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
  prefixed("digitalocean", ["do"], "do[opr]_v1_[a-f0-9]{64}"),
  prefixed("vault", ["hvs.", "hvb.", "hvr."], "hv[sbr]\\.[A-Za-z0-9_-]{20,512}"),
  prefixed("databricks", ["dapi"], "dapi[a-f0-9]{32}(?:-\\d)?"),
  prefixed("shopify", ["shp"], "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  prefixed("linear", ["lin_"], "lin_(?:api|oauth)_[A-Za-z0-9]{32,128}"),
  prefixed("postman", ["PMAK-"], "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
  prefixed("doppler", ["dp."], "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9.]{40,64}"),
  prefixed("terraform", [".atlasv1."], "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,100}"),
  prefixed("grafana", ["glsa_", "glc_"], "(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,512})"),
  prefixed("newrelic", ["NRAK-", "NRII-"], "NR(?:AK|II)-[A-Za-z0-9]{27,32}"),
  prefixed("docker", ["dckr_"], "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,128}"),
  prefixed("atlassian", ["ATATT3", "ATCTT3"], "AT[AC]TT3[A-Za-z0-9_=-]{50,512}"),
  prefixed("figma", ["figd_"], "figd_[A-Za-z0-9_-]{30,128}"),
  prefixed("notion", ["ntn_", "secret_"], "(?:ntn_[A-Za-z0-9]{40,64}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])"),
  prefixed("supabase", ["sbp_", "sb_secret_"], "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,128})"),
  prefixed("planetscale", ["pscale_"], "pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.-]{32,128}"),
  prefixed("mailgun", ["key-"], "key-[a-f0-9]{32}(?![A-Za-z0-9])"),
  prefixed("telegram", [":AA"], "\\d{8,10}:AA[A-Za-z0-9_-]{33}"),
  prefixed("age", ["AGE-SECRET-KEY-1"], "AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
  prefixed("jwt", ["eyJ"], "eyJ[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{0,8192}"),
];
