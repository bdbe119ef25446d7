/** A language model that plays a script of tool calls, for demonstrations and tests. Knows nothing of Countersign. */
const fs = require("node:fs");
const vscode = require("vscode");

const MODEL = { vendor: "countersign-demo", id: "scripted-1" };

/** Requests that carry fewer tools come from the chat's own chores (titles, summaries), not from agent mode. */
const FEWEST_AGENT_TOOLS = 3;

function readScript() {
  try {
    return JSON.parse(fs.readFileSync(process.env.COUNTERSIGN_DEMO_SCRIPT ?? "", "utf8"));
  } catch {
    return { turns: [], answer: "There is no script to play." };
  }
}

/** One line of the transcript that a test or the demo reads. */
function note(entry) {
  const file = process.env.COUNTERSIGN_DEMO_TRANSCRIPT;
  if (file) fs.appendFileSync(file, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);
}

const textOf = (part) => part.content.map((piece) => piece.value ?? "").join("");

/** What the tools answered since the person last spoke, in the order of the calls. */
function resultsSincePrompt(messages) {
  const parts = messages.flatMap((message) => message.content);
  const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
  const results = parts.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  return calls
    .filter((call) => call.callId.startsWith(`${run.id}-`))
    .map((call) => ({
      callId: call.callId,
      tool: call.name,
      text: results.filter((result) => result.callId === call.callId).map(textOf)[0],
    }))
    .filter((entry) => entry.text !== undefined);
}

/** The run that is being played: results are matched to calls by its id, so an earlier run's are never counted. */
let run = { id: "none", noted: 0 };

const asTurn = (turn) => (Array.isArray(turn) ? { calls: turn } : turn);

function playTurn(messages, progress) {
  const script = readScript();
  const results = resultsSincePrompt(messages);
  for (const result of results.slice(run.noted)) note({ kind: "result", ...result });
  run.noted = results.length;
  let played = 0;
  for (const [index, { say, calls }] of script.turns.map(asTurn).entries()) {
    if (results.length <= played) {
      note({ kind: "turn", turn: index, calls });
      if (say) progress.report(new vscode.LanguageModelTextPart(`${say}\n\n`));
      for (const [position, call] of calls.entries()) {
        const callId = `${run.id}-${index}-${position}`;
        progress.report(new vscode.LanguageModelToolCallPart(callId, call.tool, call.input));
      }
      return;
    }
    played += calls.length;
  }
  note({ kind: "end", results });
  progress.report(new vscode.LanguageModelTextPart(script.answer ?? "The script has ended."));
}

const provider = {
  provideLanguageModelChatInformation: () => [
    {
      id: MODEL.id,
      name: "Scripted model (demo)",
      family: "scripted",
      version: "1",
      maxInputTokens: 100_000,
      maxOutputTokens: 8_000,
      capabilities: { toolCalling: true, imageInput: false },
    },
  ],
  async provideLanguageModelChatResponse(_model, messages, options, progress) {
    if ((options.tools ?? []).length < FEWEST_AGENT_TOOLS) {
      progress.report(new vscode.LanguageModelTextPart("Scripted run"));
      return;
    }
    note({ kind: "request", tools: options.tools.map((tool) => tool.name) });
    playTurn(messages, progress);
  },
  provideTokenCount: async () => 10,
};

/** Agent mode lives in the built-in chat extension, which a fresh profile leaves switched off. */
async function wakeChat() {
  const awake = () => vscode.extensions.getExtension("GitHub.copilot-chat") !== undefined;
  if (awake()) return;
  await vscode.commands.executeCommand("workbench.action.chat.manage");
  for (let tries = 0; tries < 100 && !awake(); tries += 1)
    await new Promise((later) => setTimeout(later, 100));
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  await new Promise((later) => setTimeout(later, 1500));
}

async function play(options = {}) {
  await wakeChat();
  run = { id: `call_${Date.now().toString(36)}`, noted: 0 };
  const query = options.query ?? readScript().prompt ?? "Play the script.";
  note({ kind: "run", query });
  if (options.fresh !== false) await vscode.commands.executeCommand("workbench.action.chat.newChat");
  await vscode.commands.executeCommand("workbench.action.chat.open", {
    query,
    mode: "agent",
    modelSelector: MODEL,
  });
}

/** The run begins by itself once, not again on each reload of the page: the file named by the demo remembers. */
function isFirstStart(marker) {
  if (!marker || fs.existsSync(marker)) return false;
  fs.writeFileSync(marker, "");
  return true;
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider(MODEL.vendor, provider),
    vscode.commands.registerCommand("countersignDemo.run", play),
  );
  if (process.env.COUNTERSIGN_DEMO_EVALUATE)
    require("./evaluate.js").listen(context, process.env.COUNTERSIGN_DEMO_EVALUATE);
  note({ kind: "activated" });
  if (isFirstStart(process.env.COUNTERSIGN_DEMO_AUTORUN)) void play();
};
