/** Reads the command lines that public documents show. Knows no rule of ours and no label. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { PACKAGES } from "./packages.mjs";

/** @typedef {{ sha256: string, source: string, file: string, command: string }} Row */

/** Lines without a prompt count only where they begin with the program that the document is about. */
const OWN = {
  git: /^git /,
  gh: /^gh /,
  libpod: /^podman /,
  rclone: /^rclone /,
  findutils: /^(find|xargs|locate|ls|grep|rm) /,
  coreutils:
    /^(rm|cp|mv|ln|ls|dd|sort|shred|truncate|chmod|chown|cat|head|tail|split|env|timeout|nice|nohup|seq|printf|touch|install|tee|cut|paste|join|comm|du|stat|mktemp|sha256sum) /,
  kubernetes: /^kubectl /,
  awscli: /^aws /,
  npm: /^(npm|npx) /,
  "docker-doc": /^docker /,
  "debian-reference-en":
    /^(apt|aptitude|dpkg|git|rm|find|tar|rsync|sudo|systemctl|ssh|scp|dd|mount|cp|mv|grep|sed) ?/,
  "debian-handbook": /^(apt|apt-get|dpkg|rm|find|tar|rsync|sudo|systemctl|ssh|scp|dd|mount|cp|mv) /,
};
const PROMPT = /^\s*(?:[\w@~:/-]*[$#]|\[[^\]]*\][$#])\s+(?=[a-z./~$"'(])/;
/** Words that begin a sentence or a heading as well as a command are left out by asking for one of these. */
const PROGRAM = new RegExp(
  `^(?:sudo (?:-\\w+ )?)?(?:[\\w.]+=\\S* )*(?:[./~\\w-]*/)?(?:${(
    "git gh podman rclone find xargs kubectl aws npm npx docker apt apt-get apt-cache aptitude dpkg rm cp mv ln ls dd sort shred truncate " +
    "chmod chown chgrp cat head tail split env timeout nice nohup seq printf touch install tee cut paste join comm du df stat mktemp mkdir " +
    "rmdir tar rsync ssh scp sed awk grep egrep echo for while if eval bash sh curl wget systemctl service journalctl mount umount kill " +
    "killall pkill ps top free make gcc diff patch man which gzip gunzip bzip2 xz zip unzip date id ip iptables nft ping useradd userdel " +
    "usermod adduser deluser groupadd passwd crontab at mkfs mkfs\\.\\w+ mkswap fdisk sfdisk parted lvcreate lvremove lvextend vgcreate vgremove " +
    "vgreduce pvcreate pvremove mdadm cryptsetup losetup lxc-\\w+ virsh virt-install shutdown reboot poweroff halt init update-rc.d " +
    "debootstrap dpkg-reconfigure dpkg-deb dpkg-buildpackage debuild lintian openssl gpg su sudo test cd pwd export unset source psql mysql " +
    "python python3 perl node tr wc tac uniq cmp split csplit locate updatedb ldapadd ldapdelete ldapsearch setfacl getfacl a2ensite a2enmod a2dissite smbpasswd exportfs"
  )
    .split(" ")
    .join("|")})(?= |$)`,
);
/** Stands for something that a reader is to put in, or is cut. */
const PLACEHOLDER =
  /<[\w ./:-]+>|<<(?!<)|\.\.\.|…|\[--?\w|\{\{|@(?:var|file)\{|\bOPTIONS\b|\[options\]|: [A-Z]| & \w+ \w+ \w+ |CULTURE/;

function files(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : name === "VERSION" ? [] : [path];
    });
}

function textOf(path) {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  if (path.endsWith(".html"))
    return text
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&nbsp;", " ")
      .replaceAll("&amp;", "&");
  if (path.endsWith(".texi"))
    return text
      .replace(/@(?:var|file|code|option|command|dots|samp)\{([^{}]*)\}/g, "$1")
      .replace(/@([@{}])/g, "$1");
  return text;
}

/** Lines that go on behind a backslash are one. */
function commandsIn(text, own) {
  const out = [];
  const lines = text.replace(/\\[ \t]*\r?\n[ \t>]*/g, " ").split(/\r?\n/);
  for (const line of lines) {
    const prompted = PROMPT.test(line);
    const bare = line.replace(PROMPT, "").trim();
    if (!prompted && !(/^\s+\S/.test(line) && own.test(bare))) continue;
    const command = bare
      .replace(/\s{2,}#.*$/, "")
      .replace(/`\)*$/, "")
      .replace(/\s+/g, " ")
      .trim();
    if (
      /\s/.test(command) &&
      PROGRAM.test(command) &&
      command.length <= 300 &&
      !PLACEHOLDER.test(command) &&
      /^[a-z./~$"'(]/.test(command) &&
      !/[.:,;]$/.test(command)
    )
      out.push(command);
  }
  return out;
}

/** @param {string} folder @returns {readonly Row[]} Each command once, in one order on every machine. */
export function buildCorpus(folder) {
  const rows = new Map();
  for (const { name } of PACKAGES) {
    const place = join(folder, "packages", name);
    if (!existsSync(join(place, "VERSION"))) continue;
    for (const path of files(place))
      for (const command of commandsIn(textOf(path), OWN[name])) {
        const sha256 = createHash("sha256").update(command).digest("hex");
        if (!rows.has(sha256))
          rows.set(sha256, { sha256, source: name, file: basename(relative(place, path)), command });
      }
  }
  return [...rows.values()];
}
