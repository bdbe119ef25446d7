/** Rows for disks and devices: what writes over them or changes how they are parted. Pure data over readings kept elsewhere. */
import { isUnknown } from "./commandWords";
import { names, type RuleCommand, type ShellRule } from "./shellRule";

const DEVICE = /^\/dev\/(?!null$|zero$|full$|tty|std|fd\/|shm\/|u?random$|pts\/|tcp\/|udp\/)/;
const DISKS =
  /^(?:mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|shred|srm|sgdisk|gdisk|cfdisk|blkdiscard|hdparm|badblocks|newfs(?:_\w+)?|mkntfs|mkdosfs|pvcreate|pvremove|lvremove|vgremove|lvreduce|nvme|zpool|zfs|cryptsetup|mdadm|btrfs|diskutil|parted|fdisk|sfdisk|diskpart|tune2fs|debugfs|flashrom|fastboot)$/;
/** Of these only some words destroy. */
const DESTROYS: Readonly<Record<string, RegExp>> = {
  zpool: /^(destroy|labelclear|remove|detach|create|split|offline|replace)$/,
  zfs: /^(destroy|rollback|receive|recv|rename|promote|change-key)$/,
  cryptsetup: /^(luksFormat|luksErase|erase|luksKillSlot|luksRemoveKey|reencrypt|luksChangeKey)$/,
  mdadm: /^(--zero-superblock|--remove|-r|--stop|-S|--fail|-f|--set-faulty)$/,
  btrfs: /^(delete|del|remove|replace|rescue|zero-log)$/,
  diskutil:
    /^(erase\w*|partitionDisk|secureErase|zeroDisk|randomDisk|reformat|delete\w*|mergePartitions|splitPartition)$/i,
  nvme: /^(format|sanitize|write-zeroes|delete-ns|detach-ns|reset)$/,
};
/** These only look. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  fdisk: /^(-l|--list|-s|--getsz|-v)$/,
  sfdisk: /^(-l|--list|-d|--dump|-s|-V|--verify)$/,
  parted: /^(print|-l|--list|p)$/,
  sgdisk: /^(-p|--print|-i|--info|-v)/,
  gdisk: /^-l$/,
  wipefs: /^(-n|--no-act|-l)$/,
  hdparm: /^-[iItTCg]+$/,
  badblocks: /^-[^w]*s[^w]*$/,
  tune2fs: /^-l$/,
  debugfs: /^-R$/,
  fastboot: /^(devices|getvar|reboot)$/,
};

function touchesDisk({ program, words }: RuleCommand): boolean {
  if (words.some((word) => /^(-V|--version|--help)$/.test(word)) || words.length === 0) return false;
  if (/^mkfs|^mke2fs$/.test(program)) return !words.includes("-n");
  const destroys = DESTROYS[program];
  if (destroys !== undefined) return words.some((word) => destroys.test(word));
  const looks = LOOKS[program];
  return looks === undefined || !words.some((word) => looks.test(word));
}

export const DISK_ROWS: readonly ShellRule[] = [
  {
    id: "disk.dd",
    programs: names("dd dcfldd dc3dd ddrescue"),
    when: ({ words }) =>
      words.some(
        (word) =>
          word.startsWith("\u0001") || (/^of=/.test(word) && (DEVICE.test(word.slice(3)) || isUnknown(word))),
      ),
    reason: "It writes over a disk.",
    suggestion: "Write to a file: of=FILE.",
    onceOnly: true,
    firesOn: ["dd if=/dev/zero of=/dev/sda bs=1M", 'dd if=a of="$DISK"'],
    staysQuietOn: ["dd if=/dev/zero of=/tmp/a bs=1M count=1", "dd if=/dev/sda of=mbr.img count=1"],
  },
  {
    id: "disk.tools",
    programs: DISKS,
    when: touchesDisk,
    reason: "It changes disks, partitions or volumes.",
    suggestion: "Let a person do it.",
    onceOnly: true,
    firesOn: [
      "mkfs.ext4 /dev/sdb1",
      "wipefs -a /dev/sdb",
      "fdisk /dev/sda",
      "parted /dev/sda mklabel gpt",
      "zfs destroy -r a/b",
      "cryptsetup luksFormat /dev/sda2",
    ],
    staysQuietOn: [
      "fdisk -l",
      "mkfs.ext4 -n disk.img",
      "parted /dev/sda print",
      "zfs list",
      "grep mkfs README.md",
    ],
  },
  {
    id: "disk.redirect",
    programs: /^/,
    when: ({ read }) => writesDevice(read.located.redirects.map(({ op, word }) => ({ op, text: word.text }))),
    reason: "It writes over a disk.",
    suggestion: "Write to a file.",
    onceOnly: true,
    firesOn: ["cat a > /dev/sda", "echo x >> /dev/nvme0n1"],
    staysQuietOn: ["make > /dev/null 2>&1", "echo x > /dev/tty", "echo x > /dev/stderr"],
  },
  {
    id: "disk.copied",
    programs: names("tee cp mv install rsync cat pv"),
    when: ({ rest, program }) =>
      (program === "tee" ? rest : rest.slice(-1)).some(
        ({ text }) => DEVICE.test(text) && program !== "cat" && program !== "pv",
      ),
    reason: "It writes over a disk or a device.",
    suggestion: "Write to a file.",
    onceOnly: true,
    firesOn: ["tee /dev/sda < a.img", "cp a.img /dev/sdb"],
    staysQuietOn: ["tee /dev/stderr", "cp /dev/sda a.img", "cat /dev/sda"],
  },
];

function writesDevice(redirects: readonly { readonly op: string; readonly text: string }[]): boolean {
  return redirects.some(({ op, text }) => op.includes(">") && DEVICE.test(text));
}
