/** The file commands of PowerShell and cmd: pure data. */
import type { FileAction, FileCommand } from "./fileCommands";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const PS_VALUED = words(
  "-value -encoding -filter -include -exclude -totalcount -tail -pattern -itemtype -name -depth -delimiter -erroraction -ea -width -inputobject -header",
);
const PS_FILES = (action: FileAction): Readonly<Record<string, FileAction>> => ({
  "-path": action,
  "-literalpath": action,
  "-filepath": action,
  "-lp": action,
  "-destination": "write",
  "-target": "link",
});
const ps = (operands: FileAction, more: Partial<FileCommand> = {}): FileCommand => ({
  operands,
  valued: PS_VALUED,
  files: PS_FILES(operands),
  ...more,
});

export const WINDOWS_COMMANDS: Readonly<Record<string, FileCommand>> = {
  ...Object.fromEntries(
    words(
      "get-content gc cat type more get-filehash import-csv get-acl format-hex certutil fc comp findstr",
    ).map((name) => [name, ps("read", name === "findstr" ? { skip: 1 } : {})]),
  ),
  ...Object.fromEntries(
    words("select-string sls").map((name) => [name, ps("read", { skip: 1, given: ["-pattern"] })]),
  ),
  ...Object.fromEntries(
    words(
      "set-content out-file add-content clear-content tee-object tee export-csv export-clixml set-acl set-itemproperty attrib icacls takeown",
    ).map((name) => [name, ps("write")]),
  ),
  ...Object.fromEntries(words("sc ac clc set-item").map((name) => [name, ps("write")])),
  ...Object.fromEntries(words("remove-item ri rm del erase rd rmdir").map((name) => [name, ps("remove")])),
  ...Object.fromEntries(
    words("copy-item cp copy cpi xcopy robocopy").map((name) => [name, ps("read", { last: "write" })]),
  ),
  ...Object.fromEntries(
    words("move-item mv mi move rename-item rni ren rename").map((name) => [
      name,
      ps("move", { last: "write" }),
    ]),
  ),
  ...Object.fromEntries(words("new-item ni").map((name) => [name, ps("write")])),
  ...Object.fromEntries(words("md mkdir").map((name) => [name, ps("folder")])),
  ...Object.fromEntries(
    words("invoke-webrequest iwr invoke-restmethod irm start-bitstransfer").map((name) => [
      name,
      {
        valued: words("-uri -method -headers -body -contenttype -useragent -timeoutsec -source"),
        files: { "-outfile": "write", "-infile": "read", "-destination": "write" },
        ...(name === "start-bitstransfer" ? { operands: "write", skip: 1 } : {}),
      } satisfies FileCommand,
    ]),
  ),
  "expand-archive": ps("read", { last: "fill", files: { ...PS_FILES("read"), "-destinationpath": "fill" } }),
  "compress-archive": ps("read", {
    last: "write",
    files: { ...PS_FILES("read"), "-destinationpath": "write" },
  }),
  mklink: { operands: "write", last: "link" },
  ...Object.fromEntries(
    words("get-childitem gci ls dir tree test-path get-item gi resolve-path where").map((name) => [
      name,
      ps("list"),
    ]),
  ),
};
