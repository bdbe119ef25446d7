/** Commands that print keys, passwords or tokens which they keep themselves: each stands for the place it reads. Knows no file system. */
import { programName } from "../shell/command";
import type { NamedPath } from "./commandPaths";

interface Printer {
  readonly programs: RegExp;
  /** The words behind the program, options included, joined by blanks. */
  readonly says: RegExp;
  readonly place: string;
}

/** `env` and `printenv` are none: they show what the agent runs with, and what has the form of a key is seen in the result. */
const PRINTERS: readonly Printer[] = [
  {
    programs: /^gh$/,
    says: /^auth (?:token|status .*(?:--show-token|-t\b))/,
    place: "~/.config/gh/hosts.yml",
  },
  {
    programs: /^glab$/,
    says: /^auth status .*(?:--show-token|-t\b)/,
    place: "~/.config/glab-cli/config.yml",
  },
  {
    programs: /^aws$/,
    says: /\b(?:secretsmanager (?:get-secret-value|batch-get-secret-value)|configure (?:export-credentials|get \S*(?:secret|session|access_key))|sts (?:get-session-token|assume-role\S*|get-federation-token)|ecr get-login-password|iam create-access-key|codeartifact get-authorization-token|rds generate-db-auth-token)\b|\bssm get-parameters?\S*\b.*--with-decryption/,
    place: "~/.aws/credentials",
  },
  {
    programs: /^(?:kubectl|oc|kubecolor)$/,
    says: /\bget\b.*\bsecrets?\b(?=.*(?:-o|--output)[ =]?(?:yaml|json|go-template|custom-columns|jsonpath))|\bconfig view\b.*--raw|\bcreate token\b/,
    place: "~/.kube/config",
  },
  {
    programs: /^(?:vault|bao)$/,
    says: /\bkv get\b|^read\b|\bprint token\b|\btoken (?:create|lookup)\b/,
    place: "~/.vault-token",
  },
  {
    programs: /^(?:terraform|tofu)$/,
    says: /\boutput\b.*-(?:json|raw)\b|\bstate pull\b|\bshow\b.*-json\b/,
    place: "terraform.tfstate",
  },
  { programs: /^pulumi$/, says: /--show-secrets\b|\bstack export\b/, place: "~/.pulumi/credentials.json" },
  {
    programs: /^gpg2?$/,
    says: /--export-secret-(?:keys|subkeys)\b|--export-secret-ssh-key/,
    place: "~/.gnupg/private-keys-v1.d/key",
  },
  {
    programs: /^gcloud$/,
    says: /\bauth\b.*\bprint-(?:access|identity|refresh)-token\b|\bsecrets versions access\b|\biam service-accounts keys create\b/,
    place: "~/.config/gcloud/credentials.db",
  },
  {
    programs: /^az$/,
    says: /\baccount get-access-token\b|\bkeyvault secret (?:show|download)\b|\bstorage account keys list\b|\bacr credential show\b|\baks get-credentials\b.*-(?:f|-file) -/,
    place: "~/.azure/msal_token_cache.json",
  },
  {
    programs: /^op$/,
    says: /^(?:read|item get|signin --raw|document get|inject)\b/,
    place: "~/.config/op/config",
  },
  {
    programs: /^(?:pass|gopass)$/,
    says: /^(?!(?:ls|list|find|search|grep|git|init|insert|generate|edit|rm|mv|cp|help|version)\b)\S/,
    place: "~/.password-store/entry",
  },
  {
    programs: /^(?:bw|rbw|lpass|keepassxc-cli)$/,
    says: /^(?:get|list items|export|show)\b/,
    place: "~/.password-store/entry",
  },
  {
    programs: /^security$/,
    says: /^(?:find-(?:generic|internet)-password\b.*-(?:w|g)\b|dump-keychain|export)\b/,
    place: "~/Library/Keychains/login.keychain-db",
  },
  { programs: /^secret-tool$/, says: /^(?:lookup|search)\b/, place: "~/.local/share/keyrings/login.keyring" },
  { programs: /^git$/, says: /\bcredential(?:-\w+)? (?:fill|get)\b/, place: "~/.git-credentials" },
  { programs: /^docker-credential-[\w-]+$/, says: /^(?:get|list)\b/, place: "~/.docker/config.json" },
  { programs: /^heroku$/, says: /^(?:auth:token|config(?::get)?(?: |$))/, place: "~/.config/heroku/token" },
  {
    programs: /^(?:doppler|infisical|chamber)$/,
    says: /^(?:secrets(?: (?:get|download|--plain))?|export|read)\b/,
    place: "~/.config/op/config",
  },
  { programs: /^sops$/, says: /(?:^| )(?:-d|--decrypt|decrypt)\b/, place: "~/.config/sops/age/keys.txt" },
  { programs: /^ansible-vault$/, says: /^(?:view|decrypt)\b/, place: "~/.config/sops/age/keys.txt" },
  { programs: /^(?:fly|flyctl)$/, says: /^auth token\b/, place: "~/.fly/config.yml" },
];

export function printedSecrets(argv: readonly string[]): readonly NamedPath[] {
  const program = programName(argv[0]) ?? "";
  const words = argv.slice(1).join(" ");
  if (/(?:^| )(?:--help|-h|help)(?: |$)/.test(words)) return [];
  return PRINTERS.flatMap(({ programs, says, place }): readonly NamedPath[] =>
    programs.test(program) && says.test(words) ? [{ text: place, action: "read" }] : [],
  );
}
