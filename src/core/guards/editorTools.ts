/** Tools of VS Code that can reach around the hooks: commands by id, extensions, tasks. Pure data and one look-up. */
import type { Args } from "../call";

/** Commands that only show something. Everything else that an agent runs by id is asked for. */
const HARMLESS_COMMANDS: ReadonlySet<string> = new Set([
  "editor.action.formatDocument",
  "editor.action.organizeImports",
  "editor.action.goToLocations",
  "editor.action.showHover",
  "editor.action.rename",
  "editor.fold",
  "editor.unfold",
  "editor.foldAll",
  "editor.unfoldAll",
  "markdown.showPreview",
  "markdown.showPreviewToSide",
  "revealInExplorer",
  "revealLine",
  "cursorMove",
  "vscode.diff",
  "vscode.open",
  "workbench.action.files.save",
  "workbench.action.files.saveAll",
  "workbench.action.files.newUntitledFile",
  "workbench.action.splitEditor",
  "workbench.action.closeActiveEditor",
  "workbench.action.nextEditor",
  "workbench.action.previousEditor",
  "workbench.action.showCommands",
  "workbench.action.quickOpen",
  "workbench.action.gotoLine",
  "workbench.action.gotoSymbol",
  "workbench.action.toggleSidebarVisibility",
  "workbench.action.togglePanel",
  "workbench.actions.view.problems",
  "workbench.action.output.toggleOutput",
  "workbench.action.problems.focus",
  "workbench.files.action.showActiveFileInExplorer",
  "workbench.view.explorer",
  "workbench.view.search",
  "workbench.view.scm",
  "workbench.view.debug",
  "workbench.view.extensions",
  "workbench.view.testing.focus",
  "references-view.findReferences",
  "testing.runAll",
  "typescript.restartTsServer",
  "eslint.restart",
  "python.analysis.restartLanguageServer",
]);

/** What a person is asked, or undefined when the call is harmless. */
export function editorToolRisk(toolName: string, args: Args): string | undefined {
  switch (toolName) {
    case "run_vscode_command": {
      const id = args.commandId ?? args.command ?? args.id;
      // `vscode.open` follows links and command addresses.
      const given = JSON.stringify(args.args ?? args.arguments ?? []);
      if (typeof id === "string" && HARMLESS_COMMANDS.has(id) && !/command:|vscode:|https?:/i.test(given))
        return undefined;
      return `Run the editor command ${typeof id === "string" ? id : JSON.stringify(id)}. Editor commands can change settings and switch hooks off.`;
    }
    case "install_extension":
      return `Install the extension ${String(args.id ?? args.extensionId ?? "")}. It runs with the editor's own rights.`;
    case "create_and_run_task":
      return "Create a task and run it. Tasks are kept in the workspace and run outside the hooks.";
    default:
      return undefined;
  }
}
