/** Rows for the machine itself: processes, power, services, the firewall. Pure data. */
import { hasOption } from "./commandWords";
import { names, type ShellRule } from "./shellRule";

const PERSON = "Let a person do it.";

export const SYSTEM_ROWS: readonly ShellRule[] = [
  {
    id: "system.kill_all",
    programs: names("kill"),
    when: ({ words }) =>
      words.slice(1).some((word) => /^-1$/.test(word)) ||
      (words.length === 1 && words[0] === "-1") ||
      (words.includes("--") && words.at(-1) === "-1"),
    reason: "It ends every process of the user.",
    suggestion: "Name the one process: kill PID.",
    onceOnly: true,
    firesOn: ["kill -9 -1", "kill -KILL -1", "kill -s KILL -- -1"],
    staysQuietOn: ["kill 123", "kill -9 123", "kill -1 123", "kill -l"],
  },
  {
    id: "system.kill_by_user",
    programs: names("pkill killall killall5 skill slay"),
    when: ({ program, rest, ...command }) =>
      program === "killall5" ||
      program === "slay" ||
      (hasOption(command, "-u|-U|--user|--euid|--uid") &&
        rest.filter(({ maybeValue }) => !maybeValue).length === 0) ||
      rest.some(({ text }) => /^[.*]+$/.test(text)),
    reason: "It ends every process of a user.",
    suggestion: "Name the one process: kill PID.",
    onceOnly: true,
    firesOn: ["pkill -9 -u me", "killall5", "pkill -f .", "killall -u me"],
    staysQuietOn: ["pkill -f 'node server.js'", "killall node", "pkill -u me node"],
  },
  {
    id: "system.power",
    programs: names("shutdown reboot poweroff halt"),
    without: "--help|--version",
    when: ({ words }) => !words.includes("-c") && !/^\/[a?]$/.test(words[0] ?? ""),
    reason: "It stops or restarts the machine.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["shutdown -h now", "sudo reboot", "poweroff -f", "halt"],
    staysQuietOn: ["which shutdown", "shutdown -c", "grep reboot a.log"],
  },
  {
    id: "system.runlevel",
    programs: names("init telinit"),
    operand: /^[0136sS]$/,
    reason: "It stops or restarts the machine.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["init 0", "telinit 6"],
    staysQuietOn: ["init", "npm init -y"],
  },
  {
    id: "system.service",
    programs: names("systemctl"),
    verbs: [
      "stop|disable|mask|kill|poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate|isolate|reset-failed|revert|clean",
    ],
    when: ({ words }) => !words.includes("reset-failed"),
    reason: "It stops a service or the machine.",
    suggestion: "systemctl status shows it; systemctl restart starts it again.",
    firesOn: [
      "systemctl stop nginx",
      "sudo systemctl disable --now nginx",
      "systemctl --user stop a",
      "systemctl poweroff",
    ],
    staysQuietOn: [
      "systemctl status nginx",
      "systemctl restart nginx",
      "systemctl list-units",
      "systemctl start stop",
    ],
  },
  {
    id: "system.service_old",
    programs: names("service rc-service initctl invoke-rc.d"),
    when: ({ words }) =>
      words.slice(0, 3).some((word, at) => word === "stop" && (at > 0 || words.length > 1)),
    reason: "It stops a service.",
    suggestion: "service NAME status shows it.",
    firesOn: ["service nginx stop", "rc-service nginx stop", "invoke-rc.d nginx stop"],
    staysQuietOn: ["service nginx status", "service nginx restart"],
  },
  {
    id: "system.launchctl",
    programs: names("launchctl"),
    verbs: ["bootout|unload|remove|disable|kill|stop"],
    reason: "It stops a service.",
    suggestion: "launchctl print shows it.",
    firesOn: ["launchctl bootout system/com.x", "launchctl unload a.plist"],
    staysQuietOn: ["launchctl list", "launchctl print system/com.x"],
  },
  {
    id: "system.firewall",
    programs: names("iptables ip6tables iptables-legacy ebtables"),
    options: ["-F|-X|-P|--flush|--delete-chain|--policy|-Z"],
    when: ({ options }) => options.some((word) => /^-[FXP]$|^--(flush|delete-chain|policy)$/.test(word)),
    reason: "It takes the firewall's rules away.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: ["iptables -F", "iptables -t nat -F", "ip6tables -P INPUT ACCEPT"],
    staysQuietOn: ["iptables -L -n", "iptables -S"],
  },
  {
    id: "system.firewall_off",
    programs: names("nft ufw firewall-cmd pfctl netsh"),
    when: ({ program, words }) =>
      ({
        nft: words.includes("flush") || words.includes("delete") || words.includes("destroy"),
        ufw: words.some((word) => /^(disable|reset|delete)$/.test(word)),
        "firewall-cmd": words.some((word) => /^--(remove|complete-reload|panic-off)/.test(word)),
        pfctl: words.some((word) => /^-[dF]/.test(word)),
        netsh: words.some((word) => /^(off|reset|delete)$/i.test(word)),
      })[program] === true,
    reason: "It takes the firewall's rules away.",
    suggestion: PERSON,
    onceOnly: true,
    firesOn: [
      "nft flush ruleset",
      "ufw disable",
      "ufw --force reset",
      "netsh advfirewall set allprofiles state off",
    ],
    staysQuietOn: ["nft list ruleset", "ufw status", "netsh wlan show profiles"],
  },
];
