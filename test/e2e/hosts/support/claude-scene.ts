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

/** Keeps the SDK from contacting anything but the model server. */
export const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
} as const;

export interface ClaudeScene extends Scene {
  /** CLAUDE_CONFIG_DIR, which identifies the SDK's processes. */
  readonly config: string;
  /** Opens the terminal and waits until it is ready. */
  openWith(...args: readonly string[]): Promise<Pty>;
  /** Leaves the program and checks that no SDK process outlives it. */
  leave(terminal: Pty, how?: "/exit" | "ctrl+d"): Promise<void>;
  /** Runs any other command. */
  run(...args: readonly string[]): Promise<Said>;
}

/**
 * The built program with the real SDK in a terminal; only the model is scripted. Files are written without
 * asking.
 */
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
  // Auto mode from settings must be confirmed in the terminal; naming it on the command line confirms it.
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

/** The checkpoints in metadata.json of the only session, newest first. */
export function published({ home }: Scene): readonly PublishedCheckpoint[] {
  const sessions = join(home, ".worldline", "sessions");
  const [session = "", ...others] = readdirSync(sessions);
  if (others.length > 0) throw new Error(`There are more sessions: ${others.join(", ")}`);
  const file = join(sessions, session, "checkpoints", "metadata.json");
  return JSON.parse(readFileSync(file, "utf8")).checkpoints;
}

/** The messages of the latest request, by speaker, without what Worldline and the SDK add. */
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

/** The marker of a checkpoint that the model may backtrack to. */
const MARKER = /^<system-\w+>Checkpoint \d+, [^\n]*$/u;

/** Shortens Worldline's own notices to their first sentence. */
function lineOf(role: SpokenMessage["role"], words: string): string {
  const [, ours] = /^<system-\w+>([^.]*\.)/u.exec(words) ?? [];
  return ours === undefined ? `${role === "user" ? ">" : "<"} ${words}` : `[${ours}]`;
}

/** Sends the prompt and waits for the end of the turn and a settled screen. */
export async function prompts(terminal: Pty, prompt: string, end: string): Promise<void> {
  say(terminal, prompt);
  await terminal.waitFor(end);
  await terminal.waitFor("files captured");
  await terminal.settled();
}

/** Opens the list with Esc Esc and waits until each row shows its changes. */
export async function openList(terminal: Pty): Promise<readonly string[]> {
  terminal.press("escape", "escape");
  return terminal.waitFor((lines) => {
    const rows = rowsIn(lines);
    return rows.length > 1 && rows.slice(1).every((row) => /since$|no changes$/u.test(row));
  }, "a whole list");
}

/**
 * Picks a row of the list and rewinds files and conversation to its prompt, and then clears the prompt from
 * the editor.
 */
export async function goTo(terminal: Pty, row: number, { number, prompt }: Target): Promise<void> {
  terminal.type(String(row));
  await terminal.waitFor("Files and conversation");
  terminal.type("1");
  await terminal.waitFor(`Rewind to #${number} ${prompt}`);
  // If something changed while a command ran, the line offers more keys after this one.
  await terminal.waitFor("Enter apply · ");
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

/** The rows of the list, without times and layout. */
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
