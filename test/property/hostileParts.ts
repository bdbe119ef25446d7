/** Parts of which a hostile text is made, one of them over and over. */
export const HOSTILE_PARTS: readonly string[] = [
  // Programs that run programs.
  ..."npx bq sudo env xargs nohup eval psql git node find".split(" ").map((word) => `${word} `),
  ...["env A=1 ", "timeout 5 ", "ssh h ", "docker exec c ", "sh -c ", "psql -c ", "git -C ", "find . -exec "],
  // Quotes and escapes.
  ...["' ", '" ', "'a'", "'a'\"b\"", '"$A"', "\\ ", "\\' ", "\\", "$'\\n' ", "`", "` ", "`a` "],
  // Braces, brackets and substitutions.
  ...[
    "{a,b}",
    "{a,b} ",
    "{a,",
    "{ ",
    "(",
    "(a) ",
    "[a",
    "[[ a ",
    "((",
    "$(",
    "$(a) ",
    "<(",
    "<(a) ",
    "$((1)) ",
  ],
  ...[
    "${a:-",
    `\${a} `,
    `\${a:-b} `,
    "f() { ",
    "if a; then ",
    "for a in b; do ",
    "while a; do ",
    "case a in a) ",
  ],
  // Variables and assignments.
  ...[
    "$A ",
    "$A",
    "$HOME/",
    "A=1 ",
    "A=1; ",
    "A=$A$A;",
    "export A=1; ",
    "read a; ",
    "set -- a; ",
    "alias a=b; ",
  ],
  // Wildcards.
  ...["*", "* ", "*/", "**/", "?", "[a]* ", "@(a|", "*.ssh/* ", "cat x* ; "],
  // Redirections and heredocs.
  ...["> ", ">a ", "2>&1 ", "<a ", "<<<a ", "<<A ", "cat <<A\nx\nA\n", "<<A\n$("],
  // Lists and folders.
  ...["a | ", "echo a | sh; ", "a && ", "a || ", "a; ", "a & ", "a\n", "cd a; ", "cd ..; ", "cd a || cd b; "],
  ...[
    "~/",
    "~ ",
    "../",
    "../x ",
    "./",
    "/",
    "C:\\a ",
    "\\\\",
    "rm a* ",
    "cp a b; ",
    "ln -s a b; ",
    "cat ~/.ssh/a ",
  ],
  // Patches, addresses, SQL, and characters that are none.
  ...[
    "*** Add File: a\n",
    "diff --git a/a b/b\n",
    "diff --git a a ",
    "file:///a ",
    "SELECT 1;",
    "-- ",
    "/*",
    "$$ ",
  ],
  ...["\0", "\ud800", "\ud83d\ude00", "\r", "\t", "é", "a", " "],
];
