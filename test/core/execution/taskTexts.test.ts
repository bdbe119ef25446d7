/** The shell texts that a task of the workspace stands for, by rows; the whole guard is in `guards/otherWays.test.ts`. */
import { describe, expect, test } from "vitest";
import { type TaskTexts, taskTexts, textsOfTask } from "../../../src/core/execution/taskTexts";

const textsOf = (found: TaskTexts) =>
  found.kind === "texts" ? found.texts.map(({ text }) => text) : found.kind;
const file = (...tasks: readonly object[]) => JSON.stringify({ version: "2.0.0", tasks });

describe("by name", () => {
  test.each<[string, string, unknown]>([
    [file({ label: "a", command: "ls" }), "a", ["ls"]],
    [file({ label: "a", command: "ls" }), "shell: a", ["ls"]],
    [
      file({ label: "a", type: "process", command: "my tool", args: ["x y"] }),
      "process: a",
      ["'my tool' 'x y'"],
    ],
    [file({ taskName: "a", command: "ls" }), "a", ["ls"]],
    [
      file({ label: "a", command: { value: "ls", quoting: "weak" }, args: [{ value: "b c" }] }),
      "a",
      ["ls 'b c'"],
    ],
    [file({ label: "a", command: `ls \${file}`, args: [`\${input:x y}`] }), "a", [`ls \${file} "$UNKNOWN"`]],
    [file({ label: "a", dependsOn: "b" }, { label: "b", command: "ls", dependsOn: ["a"] }), "a", ["ls"]],
    [file({ type: "npm", script: "build" }), "npm: build", ["npm run build"]],
    [file({ label: "a", command: "ls" }), "npm: build - sub", ["npm run build"]],
    [file({ label: "a", command: "ls" }), "b", "unknown"],
    [file(), "b", "unknown"],
    ["{ tasks: 1", "b", "unreadable"],
    ["{ tasks: 1", "npm: build", ["npm run build"]],
    [
      '{ "tasks": [ { "label": "a", "command": "echo // /* no remark */", }, ], } // one',
      "a",
      ["echo // /* no remark */"],
    ],
  ])("%s %s", (text, id, wanted) => expect(textsOf(taskTexts(text, id, "linux"))).toEqual(wanted));
});

test("each system has a command of its own", () => {
  const task = { command: "a", linux: { command: "b" }, osx: { command: "c" }, windows: { command: "d" } };
  expect((["linux", "darwin", "win32"] as const).map((os) => textsOfTask(task, os)[0])).toEqual([
    { text: "b", shell: "bash" },
    { text: "c", shell: "bash" },
    { text: "d", shell: "pwsh" },
  ]);
});

test("the folder and the shell are the task's own", () => {
  const options = { cwd: `\${workspaceFolder}/sub`, shell: { executable: "C:\\Windows\\cmd.exe" } };
  expect(textsOfTask({ command: "a", options }, "win32")).toEqual([
    { text: "a", shell: "cmd", folder: "./sub" },
  ]);
});
