/** Starts a program and copies every byte of its standard input and output into two files: `tee.mjs FILE COMMAND ARGUMENT…`. */
import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";

const [file, command, ...args] = process.argv.slice(2);
for (const end of ["in", "out"]) writeFileSync(`${file}.${end}`, "");
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (chunk) => {
  appendFileSync(`${file}.in`, chunk);
  child.stdin.write(chunk);
});
process.stdin.on("end", () => child.stdin.end());
child.stdin.on("error", () => undefined);
child.stdout.on("data", (chunk) => {
  appendFileSync(`${file}.out`, chunk);
  process.stdout.write(chunk);
});
child.on("close", (code) => process.exit(code ?? 1));
