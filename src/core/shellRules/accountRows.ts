/** Rows for what a machine keeps: users, timed jobs, installed programs, backups, machines in it. Pure data. */
import { hasOption } from "./commandWords";
import { names, type ShellRule } from "./shellRule";

const PERSON = "Let a person do it.";

export const ACCOUNT_ROWS: readonly ShellRule[] = [
  {
    id: "system.crontab",
    programs: names("crontab"),
    when: ({ words, ...command }) =>
      hasOption(command, "-r") || words.includes("/dev/null") || words.at(-1) === "-",
    reason: "It replaces or removes all timed jobs.",
    suggestion: "crontab -l > FILE keeps them.",
    onceOnly: true,
    firesOn: ["crontab -r", "crontab -u me -r", "crontab /dev/null", "crontab -"],
    staysQuietOn: ["crontab -l", "crontab -e"],
  },
  {
    id: "system.at",
    programs: names("atrm"),
    reason: "It removes timed jobs.",
    suggestion: "atq lists them.",
    firesOn: ["atrm 3"],
    staysQuietOn: ["atq"],
  },
  {
    id: "system.users",
    programs: names("userdel deluser groupdel delgroup remove-localuser remove-localgroup dscl sysadminctl"),
    when: ({ program, words }) =>
      !/^(dscl|sysadminctl)$/.test(program) || words.some((word) => /delete/i.test(word)),
    reason: "It removes a user or a group.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["userdel -r bob", "deluser --remove-home bob", "groupdel dev", "dscl . -delete /Users/bob"],
    staysQuietOn: ["id bob", "useradd bob"],
  },
  {
    id: "system.user_lock",
    programs: names("passwd usermod chage"),
    options: ["-l|-d|-L|--lock|--delete"],
    when: ({ program, ...command }) =>
      program === "passwd" || (program === "usermod" && hasOption(command, "-L|--lock")),
    reason: "It locks a user out.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["passwd -l root", "usermod -L bob"],
    staysQuietOn: ["passwd -S", "usermod -aG docker me"],
  },
  {
    id: "system.packages",
    programs: names(
      "apt apt-get aptitude dpkg dnf yum zypper pacman apk brew snap flatpak port choco winget scoop",
    ),
    when: ({ program, words, options, ...command }) => {
      if (hasOption({ options }, "-s|--simulate|--dry-run|--just-print|--recon") && /^apt/.test(program))
        return false;
      const purges = words.some((word) => /^(purge|--purge|-P|autopurge|zap|--zap)$/.test(word));
      if (/^(apt|apt-get|aptitude|dpkg)$/.test(program)) return purges;
      const removes = words.some((word) => /^(remove|erase|rm|uninstall|autoremove|del)$/.test(word));
      if (program === "pacman") return options.some((word) => /^-R/.test(word));
      if (/^(dnf|yum|zypper|apk|snap|flatpak)$/.test(program)) return removes;
      return removes && (purges || hasOption({ options, ...command }, "-f|--force|--ignore-dependencies"));
    },
    reason: "It removes programs of the machine, with their settings and data.",
    suggestion: "See what would go: apt-get remove --dry-run.",
    firesOn: [
      "apt-get purge -y a",
      "dpkg --purge a",
      "dpkg -P a",
      "pacman -Rns a",
      "brew uninstall --force a",
      "snap remove --purge a",
      "dnf remove -y a",
    ],
    staysQuietOn: [
      "apt-get install -y a",
      "apt-get remove --dry-run a",
      "brew install a",
      "pacman -Syu",
      "apt-get clean",
    ],
  },
  {
    id: "system.history",
    programs: names("history"),
    options: ["-c|-d"],
    reason: "It removes the record of what was run.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["history -c"],
    staysQuietOn: ["history", "history 20"],
  },
  {
    id: "system.backups",
    programs: names("tmutil restic borg duplicity kopia vssadmin wbadmin wmic bcdedit timeshift snapper"),
    when: ({ program, words }) =>
      words.some((word) =>
        /^(delete|forget|prune|compact|remove-older-than|remove-all-but-n-full|resize|rm)$/i.test(word),
      ) ||
      (program === "bcdedit" && words.some((word) => /^\/(set|delete)/i.test(word))) ||
      (program === "timeshift" && words.some((word) => /^--(delete|restore)/.test(word))),
    without: "-n|--dry-run",
    reason: "It removes backups or what restores them.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: [
      "restic forget --prune --keep-last 1",
      "borg delete r::a",
      "tmutil delete /Volumes/b",
      "vssadmin delete shadows /all",
    ],
    staysQuietOn: ["restic snapshots", "borg list r", "restic forget --dry-run --keep-last 1"],
  },
  {
    id: "system.machines",
    programs: names(
      "virsh vboxmanage vagrant multipass lxc lxc-destroy incus limactl prlctl qm pct virt-install minikube kind k3d k0s microk8s colima",
    ),
    when: ({ program, words }) =>
      program === "lxc-destroy" ||
      words.some((word) =>
        /^(undefine|destroy|unregistervm|closemedium|delete|delete-cluster|purge|factory-reset|reset|vol-delete|pool-delete|snapshot-delete)$/i.test(
          word,
        ),
      ),
    reason: "It removes a virtual machine or a cluster on this machine.",
    suggestion: "Stop it in place of removing it.",
    firesOn: [
      "virsh undefine vm --remove-all-storage",
      "VBoxManage unregistervm vm --delete",
      "vagrant destroy -f",
      "minikube delete",
      "kind delete cluster",
      "multipass delete --purge a",
      "lxc delete -f c1",
      "lxc-destroy -n a",
    ],
    staysQuietOn: ["vagrant status", "virsh list", "minikube start", "kind get clusters"],
  },
];
