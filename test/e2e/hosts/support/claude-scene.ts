import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PublishedCheckpoint } from "../../../../src/ports/log-store.ts";
import { processesOf } from "../../../support/claude/claude-place.ts";
import { claudeSdkFolder } from "../../../support/claude/describe-with-claude.ts";
import { seriesOf } from "../../../support/claude/series.ts";
import { type SpokenMessage, spoken } from "../../../support/claude/spoken.ts";
import { listen } from "../../agent/support.ts";
import { binary, type Said } from "../../binary.ts";
import { goneFrom, opened, say } from "../../terminal/support/person.ts";
import type { Pty } from "../../terminal/support/pty.ts";
import type { OpenOptions, Scene, SceneOptions } from "../../terminal/support/scene.ts";
import { storyOf } from "../../terminal/support/story.ts";

/** What keeps the SDK to itself and its server. */
export const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
} as const;

export interface ClaudeScene extends Scene {
  /** CLAUDE_CONFIG_DIR, by which the SDK's processes are known. */
  readonly config: string;
  /** Opens the terminal and waits until it stands. */
  openWith(...args: readonly string[]): Promise<Pty>;
  /** Nothing of the SDK outlives it. */
  leave(terminal: Pty, how?: "/exit" | "ctrl+d"): Promise<void>;
  /** Any other command. */
  run(...args: readonly string[]): Promise<Said>;
}

/** The built program with the real SDK in a terminal; the model alone is scripted. Files are written without asking. */
export async function claudeScene(options: Partial<SceneOptions> = {}): Promise<ClaudeScene> {
  const scene = await storyOf({
    files: { "README.md": "# A place to work in\n" },
    ...options,
    environment: {
      ...QUIET,
      WORLDLINE_CLAUDE_SDK: claudeSdkFolder(),
      WORLDLINE_PERMISSIONS_MODE: "auto",
      ...options.environment,
    },
  });
  const config = join(scene.root, "claude");
  const environment = { CLAUDE_CONFIG_DIR: config };
  // In the terminal auto mode is confirmed, which a command line that names it has done.
  const mode = options.environment?.["WORLDLINE_PERMISSIONS_MODE"] ?? "auto";
  const open = ({ arguments: words = [], ...options }: OpenOptions = {}): Pty =>
    scene.open({
      ...{ rows: 40, columns: 100, ...options, environment },
      arguments: [...words, "--permission-mode", mode],
    });
  return {
    ...scene,
    config,
    open,
    async openWith(...args) {
      const terminal = open({ arguments: args });
      await opened(terminal);
      return terminal;
    },
    run: async (...args) => {
      const env = { ...scene.environment, ...environment };
      const child = spawn(process.execPath, [binary, ...args], { cwd: scene.workspace, env });
      child.stdin.end();
      const { said, ended } = listen(child);
      return { code: await ended, ...said };
    },
    async leave(terminal, how = "/exit") {
      if (how === "/exit") say(terminal, how);
      else terminal.press(how, how);
      await terminal.exit();
      const left = processesOf(config);
      if (left.length > 0) throw new Error(`It has left, but these processes have not: ${left.join(", ")}`);
    },
  };
}

/** metadata.json of the only session that is there, newest first. */
export function published({ home }: Scene): readonly PublishedCheckpoint[] {
  const sessions = join(home, ".worldline", "sessions");
  const [session = "", ...others] = readdirSync(sessions);
  if (others.length > 0) throw new Error(`There are more sessions: ${others.join(", ")}`);
  const file = join(sessions, session, "checkpoints", "metadata.json");
  return JSON.parse(readFileSync(file, "utf8")).checkpoints;
}

/** What the model was shown with its newest request: who said which words, without what Worldline and the SDK add. */
export function lastHeard({ server }: Pick<Scene, "server">): readonly string[] {
  const request = server?.requests.findLast((each) => seriesOf(each) === "main");
  return request === undefined ? [] : spoken(request).flatMap(linesOf);
}

function linesOf({ role, text = [], calls = [], results = [] }: SpokenMessage): readonly string[] {
  return [
    ...results.map((result) => `= ${result.isError === true ? "! " : ""}${result.text}`),
    ...text.filter((words) => !MARKER.test(words)).map((words) => lineOf(role, words)),
    ...calls.map(({ name }) => `${name}()`),
  ];
}

/** Of a checkpoint, for a model that may go back. */
const MARKER = /^<system-\w+>Checkpoint \d+, [^\n]*$/u;

/** Of what Worldline says itself, the first sentence. */
function lineOf(role: SpokenMessage["role"], words: string): string {
  const [, ours] = /^<system-\w+>([^.]*\.)/u.exec(words) ?? [];
  return ours === undefined ? `${role === "user" ? ">" : "<"} ${words}` : `[${ours}]`;
}

/** Gives the prompt, and waits for what is said at the end of the turn and until all is still. */
export async function prompts(terminal: Pty, prompt: string, end: string): Promise<void> {
  say(terminal, prompt);
  await terminal.waitFor(end);
  await terminal.waitFor("files captured");
  await terminal.settled();
}

/** Opens the list with Esc Esc, and waits until each row says what has changed since. */
export async function openList(terminal: Pty): Promise<readonly string[]> {
  terminal.press("escape", "escape");
  return terminal.waitFor((lines) => {
    const rows = rowsIn(lines);
    return rows.length > 1 && rows.slice(1).every((row) => /since$|no changes$/u.test(row));
  }, "a whole list");
}

/** From the list: files and conversation to the prompt in that row. Its words come back, and are taken out of the editor. */
export async function goTo(terminal: Pty, row: number, { number, prompt }: Target): Promise<void> {
  terminal.type(String(row));
  await terminal.waitFor("Files and conversation");
  terminal.type("1");
  await terminal.waitFor(`Rewind to #${number} ${prompt}`);
  // What changed while a command ran can be kept; then other keys are named after this one.
  await terminal.waitFor("Enter go · ");
  terminal.press("enter");
  await terminal.waitFor(`Restored to checkpoint: #${number} ${prompt}`);
  await terminal.waitFor(`› ${prompt}`);
  terminal.press("ctrl+c");
  await goneFrom(terminal, `› ${prompt}`);
}

interface Target {
  readonly number: number;
  readonly prompt: string;
}

export async function redo(terminal: Pty): Promise<void> {
  say(terminal, "/redo");
  await terminal.waitFor(/^Redo to #\d+ /mu);
  terminal.press("enter");
  await terminal.waitFor("Redone to: ");
  await terminal.settled();
}

/** The rows of the list, without when that was and how they are laid out. */
export function rowsOf(screen: readonly string[]): readonly string[] {
  return rowsIn(screen).map((row) =>
    row
      .trim()
      .replace(/(#\d+) (?:just now|\d+ s ago|\d+ min ago) +/u, "$1 ")
      .replaceAll(/ +/gu, " "),
  );
}

function rowsIn(screen: readonly string[]): readonly string[] {
  const from = screen.indexOf("Rewind to:");
  return from < 0 ? [] : screen.slice(from + 1).filter((line) => /^[❯ ] \d /u.test(line));
}
