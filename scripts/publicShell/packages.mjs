/** Which public packages hold shell commands that people are shown, and which of their files. Knows neither how they come nor how they are read. */

/** @type {readonly import("../publicSql/debian.mjs").Package[]} */
export const PACKAGES = [
  { name: "git", kind: "source", members: ["Documentation/*.txt"] },
  { name: "gh", kind: "source", members: ["pkg/cmd/*.go"] },
  { name: "libpod", kind: "source", members: ["docs/source/markdown/*.md"] },
  { name: "rclone", kind: "source", members: ["docs/content/*.md"] },
  { name: "findutils", kind: "source", members: ["doc/*.texi"] },
  { name: "coreutils", kind: "source", members: ["doc/*.texi"] },
  { name: "kubernetes", kind: "source", members: ["staging/src/k8s.io/kubectl/pkg/cmd/*.go"] },
  { name: "awscli", kind: "binary", members: ["awscli/examples/*"] },
  { name: "npm", kind: "source", members: ["docs/lib/*.md"] },
  { name: "docker-doc", kind: "binary", members: ["*.md*"] },
  { name: "debian-reference-en", kind: "binary", members: ["*.txt*", "*.html"] },
  { name: "debian-handbook", kind: "binary", members: ["*/en-US/*.html"] },
];
