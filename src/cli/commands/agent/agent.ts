import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRule } from "../../../agent/permissions/rules.ts";
import { type AgentRequest, hostNames } from "../../../app/agent/agent-request.ts";
import type { Environment } from "../../../app/places/home.ts";
import type { ResumeRequest } from "../../../app/sessions/agent-session.ts";
import { loadFindSample, loadSampleProject } from "../../../demonstrations.ts";
import type { HostName } from "../../../ports/agent.ts";
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
import type { Frame, Screen, ScreenOptions } from "../../frame.ts";

/**
 * The options of `worldline [prompt]` in addition to the options of every command. This file is loaded at every start,
 * so it does not import any large modules.
 */
export const agentOptions = {
  print: { ...flag(), short: "p" },
  continue: { ...flag(), short: "c" },
  resume: {
    ...maybe("[session]"),
    short: "r",
  },
  fork: flag(),
  model: text("<model>"),
  permissionMode: choice(["manual", "accept-edits", "plan", "auto"]),
  allow: list("<rule>"),
  deny: list("<rule>"),
  host: text("<host>"),
  maxSteps: whole("<number>"),
  noSession: flag(),
  outputFormat: choice(["text", "json", "stream-json"]),
  listSessions: flag(),
};

export const agent = defineCommand({
  help: (help) => help.agent,
  arguments: {
    prompt: rest(),
  },
  options: agentOptions,
  run: async ({ arguments: { prompt: words }, options, frame: bare }): Promise<ExitCode> => {
    if (options.listSessions) {
      const { answerSessions } = await import("../sessions/list.ts");
      await answerSessions(bare, "here");
      return 0;
    }
    const call = readAgentOptions(options, bare);
    const screen = screenOf(bare);
    if (call.print === "no" && call.outputFormat === "text" && screen !== undefined) {
      const prompt = words.join(" ");
      return openTerminal(bare, {
        screen,
        request: call.request,
        ...(prompt.trim() === "" ? {} : { prompt }),
      });
    }
    const { printAnswer } = await import("./print-answer.ts");
    return printAnswer(bare, call, words);
  },
});

/** The parsed command line for an agent. */
export interface AgentCall {
  readonly request: AgentRequest;
  /** Whether the agent answers once and exits. */
  readonly print: "yes" | "no";
  readonly outputFormat: OutputFormat;
}

export type OutputFormat = "text" | "json" | "stream-json";

type Options = OptionValues<typeof agentOptions>;

/** Reads the agent's options. Throws if options contradict each other. */
export function readAgentOptions(options: Options, { common }: Pick<Frame, "common">): AgentCall {
  const host = hostOf(options);
  const resume = resumeRequestOf(options, common.session);
  refuseContradictions(options, resume);
  const { model, permissionMode, maxSteps, outputFormat = "text" } = options;
  if (maxSteps === 0) throw new WorldlineError("no-steps-allowed", {});
  return {
    request: {
      model: model === undefined ? undefined : filled("--model", model),
      mode: permissionMode,
      allow: options.allow.map((rule) => readable("--allow", rule)),
      deny: options.deny.map((rule) => readable("--deny", rule)),
      maxSteps,
      resume,
      fork: options.fork ? "yes" : "no",
      host,
      keepSession: options.noSession ? "no" : "yes",
    },
    print: options.print ? "yes" : "no",
    outputFormat: outputFormat === "text" && common.json ? "json" : outputFormat,
  };
}

function hostOf({ host }: Options): HostName | undefined {
  if (host === undefined) return undefined;
  const found = hostNames.find((name) => name === host);
  if (found === undefined) throw new WorldlineError("host-unknown", { host });
  return found;
}

function resumeRequestOf(options: Options, session: string | undefined): ResumeRequest {
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

/** Returns the value of an option. Throws for an empty value, which usually comes from an unset variable. */
function filled(option: string, value: string): string {
  if (value.trim() !== "") return value;
  throw new WorldlineError("option-empty", { option });
}

/**
 * Returns a permission rule, or throws if it is invalid. An invalid rule on the command line is invalid input, whereas
 * one in a file is an invalid setting.
 */
function readable(option: string, rule: string): string {
  const parsed = parseRule(filled(option, rule));
  if ("rule" in parsed) return rule;
  throw new WorldlineError("option-not-a-rule", { option, rule, problem: parsed.problem });
}

/** The exit code of a program that was ended by a signal. */
const CANCELLED: ExitCode = 130;

export interface OpenTerminalOptions {
  readonly screen: Screen;
  readonly request: AgentRequest;
  /** The prompt to send as soon as the session is open. */
  readonly prompt?: string;
}

/** Opens the screen and waits until the user exits. Afterwards, prints how to resume the session. */
export async function openTerminal(
  frame: Frame,
  { screen, request, prompt }: OpenTerminalOptions,
): Promise<ExitCode> {
  const { strings, surroundings, output } = frame;
  // The user picks a session on the screen. Until the user picks a session, the screen needs another open session.
  const isToPick = request.resume.how === "resume" && request.resume.wanted === undefined;
  const settled: AgentRequest = isToPick ? { ...request, resume: { how: "new" }, fork: "no" } : request;
  const told = new AbortController();
  // On the screen, Ctrl-C is only a key, so a signal must come from another program. A second signal ends this program
  // without waiting.
  const release = surroundings.onInterrupt(() => {
    if (told.signal.aborted) process.exit(CANCELLED);
    told.abort();
  });
  const { resume, how, unsent } = await screen
    .runTerminal({
      strings,
      told: told.signal,
      shellCommand: (command) => commandAgain(frame.common, command),
      environment: { ...surroundings.environment },
      onInterrupt: surroundings.onInterrupt,
      demonstrations: demonstrationsIn(frame),
      ...(prompt === undefined ? {} : { firstPrompt: prompt }),
      ...(isToPick ? { pick: "session" } : {}),
      // The agent, the stores and the providers are loaded after the first frame is drawn.
      open: async (person) => {
        const { openApp } = await import("../../../app/app.ts");
        return openApp(frame, { request: { ...settled, withoutModel: "open" }, person });
      },
    })
    .finally(release);
  if (unsent.length > 0) {
    const lines = unsent.map((text) => `  ${clipped(text)}`);
    output.answer({}, () => [strings.terminal.app.notSent(unsent.length), ...lines].join("\n"));
  }
  if (resume !== undefined)
    output.answer({}, () =>
      strings.terminal.app.resume(
        commandAgain(frame.common, { do: "open", session: resume }, programOf(surroundings.environment)),
      ),
    );
  if (how === "hurried") {
    await output.finish();
    // Resources that could not be closed in time must not keep the process alive.
    process.exit(CANCELLED);
  }
  return told.signal.aborted ? CANCELLED : 0;
}

/**
 * Returns the demonstrations that the screen offers without a model. Each demonstration's module is loaded when the
 * demonstration is used.
 */
export function demonstrationsIn(frame: Frame): ScreenOptions["demonstrations"] {
  return {
    findInSample: async (onProgress, signal) =>
      (await loadFindSample()).findInSample(frame.surroundings.environment, onProgress, signal),
    makePlayground: async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "worldline-playground-")));
      const { makeSample } = await loadSampleProject();
      makeSample(folder);
      return folder;
    },
  };
}

const MAX_UNSENT_CHARACTERS = 200;

/** Returns the beginning of an unsent input on one line. */
function clipped(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > MAX_UNSENT_CHARACTERS ? `${line.slice(0, MAX_UNSENT_CHARACTERS)}…` : line;
}

/**
 * Returns the command that starts Worldline. If the user started it through npm, it may not be installed globally, so
 * the command must start it the same way.
 */
function programOf(environment: Environment): string {
  const isNpm =
    environment["npm_lifecycle_event"] === "start" && environment["npm_package_name"] === "worldline";
  return isNpm ? "npm start --" : "worldline";
}

/**
 * Returns the screen if the terminal can show it and can pass keys to it, and if the answer was not requested as JSON.
 */
export function screenOf({
  output,
  surroundings,
}: Pick<Frame, "output" | "surroundings">): Screen | undefined {
  const isUsable = isTerminal(surroundings) && !isDumb(surroundings) && output.mode === "text";
  return isUsable ? surroundings.screen : undefined;
}

/** Checks whether the terminal reports that it does not support cursor movement. */
export function isDumb(surroundings: Frame["surroundings"]): boolean {
  return isTerminal(surroundings) && surroundings.environment["TERM"] === "dumb";
}

function isTerminal({ stdin, stdout }: Frame["surroundings"]): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
