/** Where programs keep keys, passwords and tokens: pure data. A touch of these is asked even inside the roots. */
import { type CredentialPlace, rows } from "./credentialRow";
import { placeTable } from "./placeTable";
import { SYSTEM_SECRETS } from "./systemSecrets";

const SSH = "SSH keys and settings";
const AWS = "AWS credentials";
const CLOUD = "cloud credentials";
const TOKENS = "access tokens";

export const CREDENTIAL_PLACES: readonly CredentialPlace[] = [
  ...rows(SSH, "**/.ssh/**"),
  ...rows(AWS, "**/.aws/**"),
  ...rows("GnuPG keys", "**/.gnupg/**"),
  ...rows(
    "stored logins",
    `**/.netrc
     **/_netrc
     **/.git-credentials
     **/.pgpass
     **/.my.cnf
     **/.mylogin.cnf
     ~/.config/git/credentials
     ~/AppData/Roaming/postgresql/pgpass.conf
     ~/.password-store/**
     ~/.authinfo
     ~/.authinfo.gpg`,
  ),
  ...rows(
    TOKENS,
    `~/.config/gh/**
     ~/.config/hub
     ~/.config/github-copilot/**
     ~/.npmrc
     ~/.yarnrc
     ~/.pypirc
     ~/.config/pip/pip.conf
     ~/.cargo/credentials
     ~/.cargo/credentials.toml
     ~/.gem/credentials
     ~/.m2/settings.xml
     ~/.m2/settings-security.xml
     ~/.gradle/gradle.properties
     ~/.nuget/NuGet/NuGet.Config
     ~/.composer/auth.json
     ~/.config/composer/auth.json
     ~/.terraformrc
     ~/.terraform.d/credentials.tfrc.json
     ~/.vault-token
     ~/.config/op/**
     ~/.huggingface/token
     ~/.cache/huggingface/token
     ~/.config/hcloud/**
     ~/.config/sops/**
     ~/.claude/.credentials.json
     ~/.claude.json
     ~/.codex/auth.json
     ~/.gemini/oauth_creds.json
     ~/.qwen/oauth_creds.json
     ~/.local/share/opencode/auth.json
     ~/.local/share/opencode/mcp-auth.json
     ~/.gemini/google_accounts.json
     ~/.gemini/mcp-oauth-tokens.json
     ~/.copilot/config.json
     ~/.config/anthropic/**
     ~/.config/openai/**
     ~/.config/glab-cli/**
     ~/.config/stripe/**
     ~/.config/ngrok/**
     ~/.ngrok2/**
     ~/.config/configstore/**
     ~/.sentryclirc
     ~/.kaggle/**
     ~/.config/kaggle/**
     ~/.databrickscfg
     ~/.config/snowflake/**
     ~/.snowsql/config
     ~/.dbt/profiles.yml
     ~/.pulumi/credentials.json
     ~/.expo/state.json
     ~/.config/solana/**
     ~/AppData/Roaming/GitHub CLI/**
     ~/AppData/Local/github-copilot/**`,
  ),
  ...rows(
    CLOUD,
    `~/.azure/**
     ~/.config/gcloud/**
     ~/.kube/**
     ~/.docker/config.json
     ~/.config/containers/auth.json
     ~/.boto
     ~/.s3cfg
     ~/.config/rclone/**
     ~/.rclone.conf
     ~/.config/doctl/**
     ~/.config/heroku/**
     ~/.fly/**
     ~/.wrangler/**
     ~/.config/.wrangler/**
     ~/.config/netlify/**
     ~/.netlify/config.json
     ~/.local/share/com.vercel.cli/**
     ~/.vercel/auth.json
     ~/.railway/config.json
     ~/.supabase/**
     ~/.config/linode-cli
     ~/.config/scw/**
     ~/.vultr-cli.yaml
     ~/.oci/**
     ~/.aliyun/**
     ~/AppData/Roaming/gcloud/**`,
  ),
  ...SYSTEM_SECRETS,
  ...rows(
    "a private key",
    `**/id_rsa
     **/id_dsa
     **/id_ecdsa
     **/id_ecdsa_sk
     **/id_ed25519
     **/id_ed25519_sk`,
  ),
  ...rows(
    "a file of secret settings",
    `**/.env
     **/.env.local
     **/.env.*.local
     **/.env.dev
     **/.env.development
     **/.env.prod
     **/.env.production
     **/.env.staging
     **/.env.secret
     **/.env.secrets
     **/.envrc
     **/.htpasswd
     **/.pypirc
     **/.streamlit/secrets.toml
     **/local.settings.json
     **/serviceAccountKey.json
     **/service-account*.json
     **/client_secret*.json
     **/*.keystore
     **/*.jks
     **/*.p12
     **/*.pfx
     **/*.env
     **/.env~
     **/.env.*~
     **/.env.bak*
     **/.env.old
     **/.env.orig
     **/.env.save
     **/.env.backup*
     **/.env.*.bak
     **/.env.*.old
     **/.env.*.backup
     **/.env.sw*
     **/.dev.vars
     **/.dev.vars.*
     **/*.key
     **/*.ppk
     **/*.kdbx
     **/*key.pem
     **/*private*.pem
     **/*secret*.pem
     **/credentials.json
     **/*-credentials.json
     **/application_default_credentials.json
     **/client_secrets.json
     **/secrets.json
     **/secrets.yml
     **/secrets.yaml
     **/secrets.toml
     **/.secrets
     **/credentials.yml.key`,
    "read",
  ),
  ...rows("the state of Terraform with the secrets in it", "**/terraform.tfstate*", "read"),
];

const table = placeTable(CREDENTIAL_PLACES);

/** A public key is for everybody, wherever it lies; so is a sample of settings. */
const PUBLIC =
  /\.pub$|(?:^|[._-])pub(?:lic)?[._-]?(?:key)?\.(?:pem|key)$|^(?:(?:\.?env|.*[._-])?(?:example|sample|template|tmpl|dist|defaults?|test|tests|testing|ci|dummy|mock|fake)s?[._-]?)\.?(?:env|key|pem|json|ya?ml|toml|vars)$/i;

export const credentialPlaces: typeof table = {
  at: (path, homes) => (PUBLIC.test(path.segments.at(-1) ?? "") ? undefined : table.at(path, homes)),
  under: table.under,
};
