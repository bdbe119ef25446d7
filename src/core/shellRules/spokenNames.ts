/** Words that may destroy, and programs that only name others. Pure data. */

export const LOUD =
  /\b(?:rm|rmdir|del|rd|remove-item|shred|dd|mkfs|wipefs|truncate|reset|clean|--force|delete|destroy|drop|purge|prune|terminate|kill|shutdown|reboot|format|unlink|flush\w*|curl|wget|iwr|iex|eval|base64)\b/i;

/** These only name programs, or take words as texts. */
export const SPEAKS = new Set(
  (
    "echo printf grep egrep fgrep rg ag ack sed awk gawk git gh glab man which whereis type command tldr info help cat ls test [ [[ logger jq yq write-output " +
    "write-host apropos whatis compgen complete hash pgrep pkill ps alias unalias export declare local readonly typeset set unset read printenv " +
    "apt apt-get apt-cache aptitude brew pip pip3 npm yarn pnpm cargo gem dpkg dnf yum pacman apk snap docker podman kubectl helm terraform aws gcloud az " +
    "get-help help get-command gcm get-alias where-object cd mkdir touch mv cp ln chmod chown tar zip unzip rsync scp curl wget rm for case select function return exit ssh-keygen systemctl service journalctl"
  ).split(" "),
);
