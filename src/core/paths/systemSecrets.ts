/** Where the system, browsers, wallets and shells keep what is secret: pure data. */
import { type CredentialPlace, rows } from "./credentialRow";

const BROWSER = "a browser's stored passwords and sessions";
const KEYRING = "the system's stored passwords";
const HISTORY = "the history of a shell, which may hold secrets";
const SYSTEM = "the system's password and key files";

export const SYSTEM_SECRETS: readonly CredentialPlace[] = [
  ...rows(
    KEYRING,
    `~/.local/share/keyrings/**
     ~/.local/share/kwalletd/**
     ~/Library/Keychains/**
     /Library/Keychains/**
     ~/AppData/Roaming/Microsoft/Credentials/**
     ~/AppData/Roaming/Microsoft/Protect/**
     ~/AppData/Roaming/Microsoft/Crypto/**
     ~/AppData/Roaming/Microsoft/Vault/**
     ~/AppData/Local/Microsoft/Credentials/**
     ~/AppData/Local/Microsoft/Vault/**`,
  ),
  ...rows(
    "an editor's stored secrets",
    `~/.config/Code*/User/globalStorage/state.vscdb*
     ~/.config/VSCodium/User/globalStorage/state.vscdb*
     ~/.config/Cursor/User/globalStorage/state.vscdb*
     ~/.config/Windsurf/User/globalStorage/state.vscdb*
     ~/Library/Application Support/Code*/User/globalStorage/state.vscdb*
     ~/Library/Application Support/Cursor/User/globalStorage/state.vscdb*
     ~/AppData/Roaming/Code*/User/globalStorage/state.vscdb*
     ~/AppData/Roaming/Cursor/User/globalStorage/state.vscdb*`,
  ),
  ...rows(
    BROWSER,
    `~/.mozilla/**
     ~/.thunderbird/**
     ~/.config/google-chrome*/**
     ~/.config/chromium/**
     ~/.config/BraveSoftware/**
     ~/.config/microsoft-edge*/**
     ~/.config/opera*/**
     ~/.config/vivaldi/**
     ~/snap/firefox/**
     ~/snap/chromium/**
     ~/Library/Application Support/Google/Chrome*/**
     ~/Library/Application Support/Chromium/**
     ~/Library/Application Support/Firefox/**
     ~/Library/Application Support/BraveSoftware/**
     ~/Library/Application Support/Microsoft Edge*/**
     ~/Library/Application Support/Arc/**
     ~/Library/Safari/**
     ~/Library/Cookies/**
     ~/AppData/Local/Google/Chrome*/**
     ~/AppData/Local/Chromium/**
     ~/AppData/Local/Microsoft/Edge*/**
     ~/AppData/Local/BraveSoftware/**
     ~/AppData/Roaming/Mozilla/**
     ~/AppData/Roaming/Opera Software/**`,
  ),
  ...rows(
    "a wallet",
    `~/.bitcoin/**
     ~/.ethereum/**
     ~/.electrum/**
     ~/.monero/**
     ~/Library/Application Support/Bitcoin/**
     ~/Library/Ethereum/**
     ~/AppData/Roaming/Bitcoin/**
     ~/AppData/Roaming/Ethereum/**`,
  ),
  ...rows(
    HISTORY,
    `~/.bash_history
     ~/.zsh_history
     ~/.histfile
     ~/.local/share/fish/fish_history
     ~/.python_history
     ~/.node_repl_history
     ~/.psql_history
     ~/.mysql_history
     ~/.sqlite_history
     ~/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/**`,
  ),
  ...rows(
    SYSTEM,
    `/etc/shadow*
     /etc/gshadow*
     /etc/sudoers
     /etc/sudoers.d/**
     /etc/master.passwd
     /etc/ssh/ssh_host_*
     /etc/ssl/private/**
     /etc/pki/tls/private/**
     /etc/letsencrypt/**
     /etc/krb5.keytab
     /etc/kubernetes/**
     /etc/rancher/**
     /etc/wireguard/**
     /private/etc/master.passwd
     /private/etc/sudoers
     /var/db/dslocal/**
     /private/var/db/dslocal/**
     /run/secrets/**
     /var/run/secrets/**
     /var/lib/kubelet/**
     /proc/*/environ
     /proc/*/mem
     /proc/kcore
     %/Windows/System32/config/**
     %/Windows/repair/**
     %/Windows/NTDS/**`,
  ),
];
