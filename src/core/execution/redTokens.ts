/** Words in program text that no reading of ours can judge and that a person should see once: pure data and one look-up. */
import { PROTECTED_WORDS } from "../paths/protectedPlaces";

const RED: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "removes whole folders",
    /\bshutil\s*\.\s*rmtree\b|\brmtree\s*\(|\bremovedirs\s*\(|\brimraf\b|\brmSync\s*\([^;\n]{0,200}recursive|\b(?:rm|rmdir)\s*\([^;\n]{0,200}recursive\s*:\s*true|\bemptyDirSync?\s*\(|\bFileUtils\s*\.\s*rm_r|\bremove_tree\b|\bos\.RemoveAll\b|\bdeleteRecursively\b|\bremove_dir_all\b|Remove-Item[^\n]{0,120}-Recurse/i,
  ],
  [
    "removes files by a shell",
    /\b(?:system|popen|exec\w*|spawn\w*|Command|sh|run|call|check_\w+|do shell script|qx|passthru)\b[^\n]{0,80}["'`][^"'`\n]{0,80}\brm\s+-[a-zA-Z]*[rR]/,
  ],
  [
    "runs text that it decodes",
    /\b(?:exec|eval|Function|loads|system|popen|spawn)\b[^\n]{0,120}(?:b64decode|base64|decompress|unhexlify|fromhex|atob|codecs\.decode|Buffer\.from)|(?:b64decode|atob|unhexlify|fromhex)\b[^\n]{0,200}\n?[^\n]{0,80}\b(?:exec|eval)\s*\(|\bmarshal\s*\.\s*loads\b/i,
  ],
  ["ends processes of others", /\bos\s*\.\s*kill(?:pg)?\s*\(\s*-|\bkillall\b|\bpkill\b/],
  ["writes to a disk or device", /['"]\/dev\/(?:sd|nvme|hd|vd|disk|mem)\w*|\bmkfs\b/],
  [
    "reads keys or passwords",
    /[./\\"']\.ssh[/\\"']|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws[/\\"',\s]+credentials|\.git-credentials|\.netrc\b|\.pgpass\b|\bLogin Data\b|\bkeychain\b/i,
  ],
  [
    "destroys data in a database",
    /\bdrop\s+(?:table|database|schema|collection)\b|\btruncate\s+table\b|\bdropDatabase\s*\(|\bflushall\b|\bdelete_?many\s*\(\s*\{\s*\}/i,
  ],
  [
    "rewrites what git keeps",
    /\bpush\b[^\n]{0,60}--force(?!-with-lease)|\breset\b[^\n]{0,40}--hard|\bfilter-(?:branch|repo)\b|\bclean\b[^\n]{0,40}-[a-z]*f[a-z]*d/i,
  ],
  [
    "arranges what runs later",
    /\bcrontab\b|\bsystemctl\b|\blaunchctl\b|\bschtasks\b|\bwinreg\b|\bLaunchAgents\b/i,
  ],
  ["changes governance", PROTECTED_WORDS],
];

/** What the text does, in words; undefined = nothing of the kind is in it. */
export function redToken(text: string): { readonly what: string; readonly token: string } | undefined {
  for (const [what, pattern] of RED) {
    const match = pattern.exec(text);
    if (match !== null) return { what, token: match[0].slice(0, 120) };
  }
  return undefined;
}
