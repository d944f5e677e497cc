import { chownSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../run-command.mjs";
import { answers, prompts } from "./script.mjs";
import { answer, say, stageFolder } from "./stage.mjs";

/** @typedef {import("./stage.mjs").Stage} Stage */
/** @typedef {import("./stage.mjs").Pty} Pty */
/** @typedef {Stage["words"]} Words */

/** Plays all sessions of a fixture, one after the other. @param {Stage} stage */
export async function tellStory(stage) {
  await workInTheWorkspace(stage);
  const session = await talk(stage);
  changeOutside(stage);
  await goBackAndForth(stage, session);
  await printTurns(stage);
  await runExecutions(stage);
  await succeed(stage, ["fork", "--session", session]);
}

/** Plays a session in the terminal. @param {Stage} stage @returns {Promise<string>} Its id. */
async function talk(stage) {
  const { words } = stage;
  const terminal = stage.openTerminal();
  try {
    await terminal.waitFor(words.screen.status.snapshots.on);
    await terminal.settled();
    say(terminal, "/load-context README.md");
    await terminal.settled();
    say(terminal, "!rm .env; rm -r node_modules; echo two > notes.txt; echo said so");
    await terminal.waitFor(words.transcript.files.changed(3));
    await askForPermission(terminal, words);
    await goAstray(terminal, words);
    say(terminal, "/compact");
    await terminal.waitFor(/compacted/iu);
    say(terminal, "/permissions mode plan");
    await terminal.settled();
    say(terminal, prompts.after);
    await terminal.waitFor(answers.after);
    await terminal.settled();
    await keepOneByChoice(terminal, words);
    say(terminal, "/exit");
    await terminal.exit();
  } finally {
    await terminal.close();
  }
  const { stdout } = await succeed(stage, ["sessions", "--json"]);
  return JSON.parse(stdout).sessions.find((/** @type {{ mode: string }} */ { mode }) => mode === "agent").id;
}

/** @param {Pty} terminal @param {Words} words */
async function askForPermission(terminal, { dialogs }) {
  const { title, session, reasonKeys } = dialogs.permission;
  say(terminal, prompts.fix);
  await answer(terminal, session("Edit(src/**)"), "2");
  await answer(terminal, title("Bash"), "4");
  await terminal.waitFor(reasonKeys);
  say(terminal, "Nobody deletes the docs.");
  await terminal.waitFor(answers.fix);
  await terminal.settled();
  say(terminal, prompts.tests);
  await answer(terminal, title("Bash"), "1");
  await terminal.waitFor(answers.tests);
  await terminal.settled();
}

/** The agent backtracks, the user interrupts, and the model fails. @param {Pty} terminal @param {Words} words */
async function goAstray(terminal, { transcript }) {
  say(terminal, prompts.search);
  await terminal.waitFor(answers.search);
  await terminal.settled();
  say(terminal, prompts.speak);
  await terminal.waitFor(answers.speak);
  terminal.press("escape");
  await terminal.waitFor(transcript.interrupts.person);
  for (const [prompt, status] of /** @type {const} */ ([
    [prompts.refused, "401"],
    [prompts.impossible, "400"],
  ])) {
    say(terminal, prompt);
    await terminal.waitFor(status);
    await terminal.settled();
  }
}

/** Rewinds, and keeps one path as the user's choice. @param {Pty} terminal @param {Words} words */
async function keepOneByChoice(terminal, { dialogs }) {
  const { go } = dialogs.keys.preview;
  say(terminal, "/rewind 1");
  await terminal.waitFor(dialogs.scope.names.both);
  terminal.type("1");
  await terminal.waitFor(go);
  terminal.type("k");
  await terminal.settled();
  terminal.press("enter");
  await terminal.waitFor(dialogs.travel.restored("#1"));
  await terminal.settled();
  say(terminal, "/redo");
  await terminal.waitFor(go);
  terminal.press("enter");
  await terminal.waitFor(dialogs.travel.redone("").trim());
  await terminal.settled();
}

/** Another program changes the files. @param {Stage} stage */
function changeOutside({ workspace, write }) {
  write("src/cart.js", "export function discount() {\n  return 0;\n}\n");
  write("list.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\n");
  write("local.tmp", "ignored, and theirs\n");
  write("made/theirs.txt", "theirs\n");
  rmSync(join(workspace, "docs"), { recursive: true, force: true });
  write("docs", "a file now\n");
  write("small.bin", "x".repeat(21_000));
}

/** @param {Stage} stage @param {string} session */
async function goBackAndForth(stage, session) {
  const at = ["--session", session, "--yes"];
  await succeed(stage, ["rewind", "1", "--scope", "both", "--merge", ...at]);
  await succeed(stage, ["redo", ...at]);
  await succeed(stage, ["rewind", "1", "--scope", "files", "--keep", ...at]);
  await succeed(stage, ["redo", ...at]);
  await succeed(stage, ["rewind", "1", "--only", "list.txt", "--take", ...at]);
  await succeed(stage, ["redo", ...at]);
  if (process.getuid?.() === 0) await failInPart(stage, at);
  await succeed(stage, ["compact", "--session", session]);
}

/**
 * Makes one path impossible to restore: its folder belongs to another user, so that only root with all capabilities
 * can write to it.
 */
async function failInPart(/** @type {Stage} */ stage, /** @type {readonly string[]} */ at) {
  const locked = join(stage.workspace, "locked");
  chownSync(locked, 1, 1);
  await stage.runWithoutRights(["rewind", "1", "--scope", "files", "--take", ...at]);
  chownSync(locked, 0, 0);
  const { stdout } = await succeed(stage, ["log", "--json", ...at.slice(0, 2)]);
  const restored = JSON.parse(stdout).entries.findLast(
    (/** @type {{ kind: string }} */ { kind }) => kind === "restored",
  );
  if (!(restored.failed > 0)) throw new Error("Every path was restored, although one had to fail.");
  await succeed(stage, ["redo", ...at]);
}

/** Runs turns in print mode, without a user. @param {Stage} stage */
async function printTurns(stage) {
  await stage.run(["-p", prompts.alone]);
  await stage.run(["-p", prompts.endless, "--max-steps", "2", "--permission-mode", "auto"]);
  await stage.run(["-p", prompts.plan, "--permission-mode", "plan"]);
  await stage.run(["-p", prompts.refused]);
}

/** Writes the workspace's own timeline, before any agent works in the workspace. @param {Stage} stage */
async function workInTheWorkspace(stage) {
  await succeed(stage, ["checkpoint", "before the storm"]);
  await succeed(stage, ["run", "--", "sh", "-c", "echo three > notes.txt; echo new > by-command.txt"]);
  await succeed(stage, ["rewind", "before the storm", "--keep", "--yes"]);
  await succeed(stage, ["redo", "--yes"]);
  await succeed(stage, ["rewind", "before the storm", "--take", "--yes"]);
}

/**
 * Runs a program's steps: some succeed, one fails, and one returns a value that cannot be stored completely.
 * @param {Stage} stage
 */
async function runExecutions(stage) {
  /** @type {typeof import("../../src/index.ts")} */
  const { openExecution } = await import(pathToFileURL(join(root, "dist", "index.js")).href);
  const { WORLDLINE_HOME: home, WORLDLINE_STORE: store } = stage.environment;
  const execution = await openExecution("orders", { home, store, workspace: stage.workspace, files: "on" });
  await execution.step("fetch", () => ["apple", "pear"]);
  await execution.step("measure", () => ({ at: new Date(0), size: 3n, close: () => undefined }));
  await execution
    .step("send", () => {
      throw closed();
    })
    .catch(() => undefined);
  await execution.step("count", () => 2);
  await execution.finish();
}

/** Returns an error whose recorded stack trace does not contain any path of this machine. */
function closed() {
  const error = new TypeError("The shop is closed.");
  error.stack = `${error}\n    at send (${pathToFileURL(join(stageFolder, "shop/orders.mjs")).href}:7:9)`;
  return error;
}

/** @param {Stage} stage @param {readonly string[]} words */
async function succeed(stage, words) {
  const said = await stage.run(words);
  if (said.code !== 0)
    throw new Error(`worldline ${words.join(" ")} ended with ${said.code}:\n${said.stdout}${said.stderr}`);
  return said;
}
