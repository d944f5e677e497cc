import { Readable } from "node:stream";
import type { Surroundings as AppSurroundings } from "../app/context.ts";
import type { CurrentSession } from "../app/current/current-session.ts";
import type { Answered } from "../app/current/upkeep.ts";
import { WorldlineError } from "../record/error.ts";
import { wholeAddress } from "../stores/store-address.ts";
import type { ExitCode } from "./exit.ts";
import type { OutputStream } from "./output.ts";

/** The commands that can be run from here, and whether each is about one session. */
const ASKABLE: Readonly<Record<string, "session" | "anything">> = {
  checkpoints: "session",
  config: "anything",
  context: "session",
  diff: "session",
  doctor: "anything",
  help: "anything",
  log: "session",
  models: "anything",
  "sessions list": "anything",
  "sessions search": "anything",
  "sessions show": "session",
  show: "session",
  stats: "session",
  "store du": "anything",
  "store verify": "anything",
  tree: "session",
  why: "session",
};

/** Words after the name of such a command with which it would write. */
const WRITING: ReadonlySet<string> = new Set(["set", "trust", "untrust", "--fix", "--trust"]);

/**
 * Runs `worldline <words>` and returns its output, for the current session if the command is about one and names none.
 * A command that would write is refused: it would wait for the session that is open here, or change what this screen
 * shows without its knowledge.
 */
export async function askCommand(
  { context, agent }: CurrentSession,
  words: readonly string[],
): Promise<Answered> {
  const about = aboutOf(words);
  if (about === undefined || words.some((word) => WRITING.has(word))) throw notHere(words);
  const end = words.indexOf("--");
  const line = end === -1 ? [...words] : words.slice(0, end);
  const after = end === -1 ? [] : words.slice(end);
  const common = [
    ...(isGiven(line, "--workspace") || isGiven(line, "--all") ? [] : ["--workspace", agent.workspace]),
    ...context.common.setting.flatMap((each) => ["--setting", each]),
    ...(about === "anything" || isGiven(line, "--session") ? [] : ["--session", agent.session]),
  ];
  const { surroundings } = context;
  // As a variable instead of an option, because it may contain a password.
  const environment = { ...surroundings.environment, WORLDLINE_STORE: wholeAddress(context.common.store) };
  const there = { ...surroundings, environment, stores: context.stores };
  const { answer, beside, exitCode } = await runLine(there, [...line, ...common, ...after]);
  const text = [beside, answer].filter((each) => each.trim() !== "").join("\n");
  return { text: text.trimEnd(), exitCode };
}

function aboutOf([name = "", second = ""]: readonly string[]): "session" | "anything" | undefined {
  return ASKABLE[`${name} ${second}`] ?? ASKABLE[name];
}

function isGiven(words: readonly string[], option: string): boolean {
  return words.some((word) => word === option || word.startsWith(`${option}=`));
}

function notHere(words: readonly string[]): WorldlineError {
  return new WorldlineError("command-not-here", { words: words.join(" ") });
}

interface Ran {
  /** The text that went to standard output, and the messages beside it. */
  readonly answer: string;
  readonly beside: string;
  readonly exitCode: ExitCode;
}

/** Runs a command line in this process, without a user to ask, and collects its output. */
async function runLine(surroundings: AppSurroundings, words: readonly string[]): Promise<Ran> {
  // Imported here because the screen needs the table of all commands only for this.
  const [{ run }, { commands }] = await Promise.all([import("./start.ts"), import("./registry.ts")]);
  const [answer, beside] = [caught(), caught()];
  const stdin = Readable.from([]);
  const exitCode = await run(commands, {
    ...surroundings,
    arguments: words,
    stdin,
    stdout: answer.stream,
    stderr: beside.stream,
  });
  return { answer: answer.text(), beside: beside.text(), exitCode };
}

function caught(): { readonly stream: OutputStream; text(): string } {
  const pieces: Buffer[] = [];
  return {
    stream: {
      write(content, done) {
        pieces.push(Buffer.from(content));
        done();
      },
      on: () => undefined,
    },
    text: () => Buffer.concat(pieces).toString("utf8"),
  };
}
