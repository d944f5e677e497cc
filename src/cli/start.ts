import { getEventListeners } from "node:events";
import { CommanderError } from "commander";
import type { Interrupt } from "../app/context.ts";
import { RunStores } from "../app/context.ts";
import { isWorldlineError } from "../record/error.ts";
import { stringsFor } from "../strings/strings.ts";
import { canAsk } from "./ask.ts";
import { type CommandEntry, optionValues, type Parsed } from "./command.ts";
import { agentOptions, isDumb, screenOf } from "./commands/agent/agent.ts";
import { type ExitCode, exitCodeOf } from "./exit.ts";
import { failureOf } from "./failure.ts";
import {
  type CommonOptions,
  commonOptions,
  type Frame,
  openFrame,
  readCommonOptions,
  type Screen,
  type Surroundings,
  wantedLanguage,
  wantedOutput,
} from "./frame.ts";
import { Output } from "./output.ts";
import { buildAgentProgram, buildProgram } from "./program.ts";
import { commands } from "./registry.ts";
import { routeOf } from "./route.ts";

const CANCELLED = 130;
/** Time limit for a command to clean up after Ctrl-C. */
const GRACE_MS = 2_000;

const OTHERS = ["SIGTERM", "SIGHUP"] as const;

/** Runs a command line in this process. */
export async function start(args: readonly string[], screen: Screen): Promise<void> {
  const stores = new RunStores();
  const interrupts = listenToInterrupts(stores);
  const code = await run(commands, {
    arguments: args,
    environment: process.env,
    cwd: () => process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...interrupts,
    knownWorkspaces: async (search) => (await import("../app/sessions/store.ts")).knownWorkspaces(search),
    stores,
    screen,
  });
  await stores.close();
  // `process.exit` is not used, because it would discard output that a pipe has not accepted yet.
  process.exitCode = interrupts.cancelled.aborted ? CANCELLED : code;
}

/** Handles the signals that tell this process to terminate. */
function listenToInterrupts(stores: RunStores): Pick<Surroundings, "cancelled" | "onInterrupt"> {
  const cancel = new AbortController();
  const listeners: ((signal: Interrupt) => void)[] = [];
  const pass = (signal: Interrupt): void => listeners.at(-1)?.(signal);
  process.on("SIGINT", () => {
    if (listeners.length > 0) {
      pass("SIGINT");
      return;
    }
    const heard = !cancel.signal.aborted && getEventListeners(cancel.signal, "abort").length > 0;
    if (!heard) {
      void stores.close().finally(() => process.exit(CANCELLED));
      return;
    }
    setTimeout(() => process.exit(CANCELLED), GRACE_MS).unref();
    cancel.abort();
  });
  return {
    cancelled: cancel.signal,
    onInterrupt(listener) {
      listeners.push(listener);
      // Unless a listener is registered, these signals end the process.
      if (listeners.length === 1) for (const signal of OTHERS) process.on(signal, pass);
      return () => {
        const at = listeners.indexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
        if (listeners.length === 0) for (const signal of OTHERS) process.off(signal, pass);
      };
    },
  };
}

/** Runs one command line and returns its exit code. Never throws: errors are printed and result in an exit code. */
export async function run(commands: readonly CommandEntry[], surroundings: Surroundings): Promise<ExitCode> {
  const { arguments: words, environment, stdout, stderr } = surroundings;
  const wanted = wantedOutput(words);
  // JSON documents are for programs, so they are always in English.
  const language = wanted.mode === "json" ? "en" : await wantedLanguage(words, environment);
  const strings = await stringsFor(language);
  const output = new Output({ stdout, stderr, ...wanted, environment, strings });
  const stores = surroundings.stores ?? new RunStores();
  const opened: Opened = {};
  let code: ExitCode;
  try {
    const parts = { output, strings, surroundings: { ...surroundings, stores } };
    code = await perform(commands, parts, opened);
  } catch (error) {
    surroundings.screen?.restoreTerminal();
    output.fail(failureOf(error, { environment, strings, common: opened.common }));
    code = exitCodeOf(error);
  } finally {
    // Stores that were passed in are closed by their owner. For example, a screen that runs a command still needs its
    // stores.
    if (surroundings.stores === undefined) await stores.close();
  }
  const outcome = await output.finish();
  return code === 0 && outcome === "unwritten" ? 1 : code;
}

type StartDeps = Pick<Parameters<typeof openFrame>[0], "output" | "strings" | "surroundings">;

/** The parts of the command line that were parsed before an error. */
interface Opened {
  common?: CommonOptions;
  frame?: Frame;
}

async function perform(
  commands: readonly CommandEntry[],
  parts: StartDeps,
  opened: Opened,
): Promise<ExitCode> {
  const { arguments: given, environment, cwd } = parts.surroundings;
  const screen = screenOf(parts) === undefined ? "none" : "there";
  const { to, words } = routeOf(given, { commands, common: commonOptions, agent: agentOptions, cwd, screen });
  if (given.length === 0 && isDumb(parts.surroundings)) parts.output.notice(parts.strings.terminal.app.dumb);
  const help: string[] = [];
  let code: ExitCode = 0;
  const attachment = {
    words: new Set(words),
    openFrame: async (parsed: Parsed) => {
      const common = readCommonOptions(optionValues(commonOptions, parsed), { environment, cwd });
      opened.common = common;
      const frame = openFrame({ ...parts, common });
      opened.frame = frame;
      // The settings are loaded now, because `--trust` must take effect even if the command does not need them.
      if (common.trust) await frame.settings();
      return frame;
    },
    onExit: (given: ExitCode) => {
      code = given;
    },
  };
  const performOnce = async (): Promise<void> => {
    const writeHelp = (text: string) => help.push(text);
    const programParts = { help: parts.strings.help, attachment, writeHelp };
    const program =
      to === "agent"
        ? await buildAgentProgram((await import("./commands/agent/agent.ts")).agent, programParts)
        : await buildProgram(commands, to === "help" ? agentOptions : {}, programParts);
    await program.parseAsync([...words], { from: "user" });
  };
  try {
    await performOnce().catch(async (error: unknown) => {
      await askToConfirm(error, opened.frame);
      await performOnce();
    });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    const text = help.join("");
    const document = error.code === "commander.version" ? { version: text.trim() } : { help: text };
    parts.output.answer(document, () => text);
  }
  return code;
}

/**
 * If the error is about an unconfirmed session from elsewhere, lets the user confirm the session, so that the command
 * can be run again. Rethrows every other error.
 */
async function askToConfirm(error: unknown, frame: Frame | undefined): Promise<void> {
  const isToAsk = isWorldlineError(error, "SESSION_UNCONFIRMED") && frame !== undefined && canAsk(frame);
  if (!isToAsk || error.session === undefined) throw error;
  frame.surroundings.screen?.restoreTerminal();
  const { confirmNamed } = await import("./commands/sessions/confirm.ts");
  await confirmNamed(frame, error.session);
}
