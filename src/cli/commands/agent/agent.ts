import { parseRule } from "../../../agent/permissions/rules.ts";
import {
  type AgentRequest,
  type HostName,
  hostNames,
  type ResumeRequest,
} from "../../../app/agent/agent-request.ts";
import type { AppExtras } from "../../../app/app.ts";
import type { Environment } from "../../../app/places/home.ts";
import { loadFindSample, loadSampleProject } from "../../../demonstrations.ts";
import { WorldlineError } from "../../../record/error.ts";
import {
  choice,
  defineCommand,
  flag,
  list,
  maybe,
  type OptionValues,
  rest,
  text,
  whole,
} from "../../command.ts";
import { commandAgain } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame, Screen } from "../../frame.ts";

/** What `worldline [prompt]` takes besides what every command takes. Loaded at every start, so it imports nothing heavy. */
export const agentOptions = {
  print: { ...flag("answer once and leave; the prompt may also be piped in"), short: "p" },
  continue: { ...flag("go on with the agent's session last used in this workspace"), short: "c" },
  resume: {
    ...maybe(
      "[session]",
      "go on with a session: its id, the beginning of it, or its title; without one, choose",
    ),
    short: "r",
  },
  fork: flag("with -c or -r: leave that session as it is, and go on in a copy"),
  model: text(
    "<model>",
    "the model, as provider/name (see: worldline models); of the host claude, as Claude calls it",
  ),
  permissionMode: choice(
    ["manual", "accept-edits", "plan", "auto"],
    "what may be done without asking: manual, accept-edits, plan or auto",
  ),
  allow: list("<rule>", "allow what the rule names, such as 'Bash(npm test:*)'; may be given several times"),
  deny: list("<rule>", "deny it, whatever else allows it; may be given several times"),
  host: text(
    "<host>",
    "whose agent it is: native, or claude, the Claude Agent SDK (default: the session's, else the setting host)",
  ),
  maxSteps: whole("<number>", "the most model calls of a turn"),
  noSession: flag("keep the session in memory only, and nothing on disk"),
  outputFormat: choice(
    ["text", "json", "stream-json"],
    "text, json (one document) or stream-json (a line of JSON for each event)",
  ),
  listSessions: flag("the same as: worldline sessions list"),
};

export const agent = defineCommand({
  description:
    "Opens the agent in the terminal. It works on the timeline of a session: everything that it does can be taken back. With " +
    "-p, or where there is no terminal, it is asked once: the answer goes to standard output, what happens meanwhile to " +
    "standard error, and what would need your permission is denied, unless rules or the mode allow it.",
  arguments: {
    prompt: rest(
      "what the agent is to do; what is piped in is put behind it; a single word needs -p or -- before it",
    ),
  },
  options: agentOptions,
  examples: [
    { command: 'worldline -p "why does the build fail?"', meaning: "an answer, and nothing changed" },
    {
      command:
        "worldline -p \"make the tests pass\" --permission-mode accept-edits --allow 'Bash(npm test:*)'",
      meaning: "it may edit, and run the tests",
    },
    { command: 'git diff | worldline -p "review this"', meaning: "with what another program says" },
    {
      command: "worldline --host claude",
      meaning: "Claude's agent on the same timeline, with its own login",
    },
    { command: 'worldline -c "now the same for the server"', meaning: "go on with the last session" },
    {
      command: 'worldline -p "list the TODOs" --output-format json | jq -r .answer',
      meaning: "for a script",
    },
  ],
  run: async ({ arguments: { prompt: words }, options, frame: bare }): Promise<ExitCode> => {
    if (options.listSessions) {
      const { listSessions } = await import("../sessions/list.ts");
      await listSessions(bare, "here");
      return 0;
    }
    const wish = wishOf(options, bare);
    const screen = screenOf(bare);
    if (wish.print === "no" && wish.outputFormat === "text" && screen !== undefined) {
      const prompt = words.join(" ");
      return openTerminal(bare, screen, prompt.trim() === "" ? wish : { ...wish, prompt });
    }
    const { printAnswer } = await import("./print-answer.ts");
    return printAnswer(bare, wish, words);
  },
});

/** What the user wants of the agent, as the command line says it. */
export interface Wish extends AgentRequest {
  /** Absent when a turn that was cut goes on. */
  readonly prompt?: string;
  /** Whether it answers once and leaves. */
  readonly print: "yes" | "no";
  readonly outputFormat: OutputFormat;
}

export type OutputFormat = "text" | "json" | "stream-json";

type Options = OptionValues<typeof agentOptions>;

/** Reads the wish, or says what in it contradicts itself. */
export function wishOf(options: Options, { common }: Pick<Frame, "common">): Wish {
  const host = hostOf(options);
  const resume = resumeWishOf(options, common.session);
  refuseContradictions(options, resume);
  if (options.maxSteps === 0) throw noSteps();
  return {
    print: options.print ? "yes" : "no",
    outputFormat: formatOf(options, common.json),
    ...(options.model === undefined ? {} : { model: filled("--model", options.model) }),
    ...(options.permissionMode === undefined ? {} : { mode: options.permissionMode }),
    allow: options.allow.map((rule) => readable("--allow", rule)),
    deny: options.deny.map((rule) => readable("--deny", rule)),
    ...(options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps }),
    resume,
    fork: options.fork ? "yes" : "no",
    ...(host === undefined ? {} : { host }),
    keepSession: options.noSession ? "no" : "yes",
  };
}

function hostOf({ host }: Options): HostName | undefined {
  if (host === undefined) return undefined;
  const found = hostNames.find((name) => name === host);
  if (found === undefined) throw hostUnknown(host);
  return found;
}

function formatOf({ outputFormat = "text" }: Options, json: boolean): OutputFormat {
  return outputFormat === "text" && json ? "json" : outputFormat;
}

function resumeWishOf(options: Options, session: string | undefined): ResumeRequest {
  const wanted = options.resume?.value;
  if (wanted !== undefined) {
    if (session !== undefined && session !== wanted) throw contradiction("-r", "--session");
    return { how: "resume", wanted: filled("--resume", wanted) };
  }
  if (session !== undefined) return { how: "resume", wanted: session };
  if (options.resume !== undefined) return { how: "resume" };
  return { how: options.continue ? "continue" : "new" };
}

function refuseContradictions(options: Options, resume: ResumeRequest): void {
  if (options.continue && resume.how === "resume") throw contradiction("-c", "-r");
  if (options.noSession && resume.how === "continue") throw contradiction("--no-session", "-c");
  if (options.noSession && resume.how === "resume") throw contradiction("--no-session", "-r");
  if (options.fork && resume.how === "new") {
    throw new WorldlineError("fork-of-nothing", {});
  }
}

function contradiction(one: string, other: string): WorldlineError {
  return new WorldlineError("options-contradict", { one, other });
}

/** An empty value is a variable that was not set, and never a wish. */
function filled(option: string, value: string): string {
  if (value.trim() !== "") return value;
  throw new WorldlineError("option-empty", { option });
}

/** What was typed is bad input; the same in a file is a bad setting. */
function readable(option: string, rule: string): string {
  const parsed = parseRule(filled(option, rule));
  if ("rule" in parsed) return rule;
  throw new WorldlineError("option-not-a-rule", { option, rule, problem: parsed.problem });
}

function hostUnknown(host: string): WorldlineError {
  return new WorldlineError("host-unknown", { host });
}

function noSteps(): WorldlineError {
  return new WorldlineError("no-steps-allowed", {});
}

/** Somebody else wanted it to end. */
const CANCELLED: ExitCode = 130;

/** Opens the screen, and stays until the person leaves. Nothing of it remains but how to come back. */
export async function openTerminal(frame: Frame, screen: Screen, wish: Wish): Promise<ExitCode> {
  const { strings, surroundings, output } = frame;
  const { prompt } = wish;
  // Who is to choose a session does so on the screen, which must stand on one by then.
  const isToPick = wish.resume.how === "resume" && wish.resume.wanted === undefined;
  const settled: Wish = isToPick ? { ...wish, resume: { how: "new" }, fork: "no" } : wish;
  const told = new AbortController();
  // Keys are no signals there: one comes from outside, and is a wish to leave; a second one does not wait.
  const release = surroundings.onInterrupt(() => {
    if (told.signal.aborted) process.exit(CANCELLED);
    told.abort();
  });
  const { resume, how, unsent } = await screen
    .run({
      strings,
      told: told.signal,
      shellCommand: (words) => commandAgain(frame.common, words),
      environment: { ...surroundings.environment },
      ...(prompt === undefined ? {} : { firstPrompt: prompt }),
      ...(isToPick ? { pick: "session" } : {}),
      // The agent, the stores and the providers are loaded behind the first picture.
      open: async (person, words) => {
        const { openApp } = await import("../../../app/app.ts");
        return openApp(frame, { request: settled, person, words, extras: extrasOf(frame) });
      },
    })
    .finally(release);
  if (unsent.length > 0) {
    const lines = unsent.map((text) => `  ${clipped(text)}`);
    output.answer({}, () => [strings.terminal.station.notSent(unsent.length), ...lines].join("\n"));
  }
  if (resume !== undefined)
    output.answer({}, () =>
      strings.terminal.station.resume(
        asStarted(commandAgain(frame.common, `-r ${resume}`), surroundings.environment),
      ),
    );
  if (how === "hurried") {
    await output.finish();
    // What was not closed must not keep the program there.
    process.exit(CANCELLED);
  }
  return told.signal.aborted ? CANCELLED : 0;
}

/** What the screen shows of the command line, loaded when it is asked for. */
export function extrasOf(frame: Frame): AppExtras {
  return {
    ask: async (current, words) => (await import("../../ask-command.ts")).askCommand(current, words),
    findInSample: async (tell, signal) => (await loadFindSample()).findInSample(frame, tell, signal),
    makeSample: async (folder) => (await loadSampleProject()).makeSample(folder),
  };
}

const MAX_UNSENT_CHARACTERS = 200;

/** On one line. */
function clipped(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > MAX_UNSENT_CHARACTERS ? `${line.slice(0, MAX_UNSENT_CHARACTERS)}…` : line;
}

/** Who started it through npm, in its own folder, may not have it installed. */
function asStarted(command: string, environment: Environment): string {
  const isNpm =
    environment["npm_lifecycle_event"] === "start" && environment["npm_package_name"] === "worldline";
  return isNpm ? command.replace(/^worldline/u, "npm start --") : command;
}

/** The screen, where there is a terminal that it can be drawn on and whose keys can be read; and no document is wanted. */
export function screenOf({
  output,
  surroundings,
}: Pick<Frame, "output" | "surroundings">): Screen | undefined {
  const isUsable = isTerminal(surroundings) && !isDumb(surroundings) && output.mode === "text";
  return isUsable ? surroundings.screen : undefined;
}

/** Whether it is a terminal, but says of itself that nothing can be drawn on it. */
export function isDumb(surroundings: Frame["surroundings"]): boolean {
  return isTerminal(surroundings) && surroundings.environment["TERM"] === "dumb";
}

function isTerminal({ stdin, stdout }: Frame["surroundings"]): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
