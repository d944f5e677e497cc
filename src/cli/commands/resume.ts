import {
  checkpointOfCut,
  findResumable,
  type ResumableSession,
  type ResumeWay,
  retryStep,
  waysToResume,
} from "../../app/resume.ts";
import { contextOfSession, namedSession, withSession } from "../../app/sessions/find-session.ts";
import { heldBy } from "../../app/sessions/hold-session.ts";
import { openStore, type Worker } from "../../app/sessions/store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { recapText } from "../../show/recap-text.ts";
import { sessionName } from "../../show/session-text.ts";
import { clockTime } from "../../strings/clock.ts";
import type { TurnState } from "../../timeline/turn-state.ts";
import { askAgain, canAsk } from "../ask.ts";
import { defineCommand, flag, type OptionValues, optional, rest } from "../command.ts";
import { commandAgain } from "../command-again.ts";
import type { ExitCode } from "../exit.ts";
import type { Frame, Screen } from "../frame.ts";
import { type AgentCall, agentOptions, openTerminal, readAgentOptions, screenOf } from "./agent/agent.ts";
import { runTurn } from "./agent/print-answer.ts";

const { model, permissionMode, allow, deny, host, maxSteps, outputFormat } = agentOptions;

const options = {
  continue: flag(),
  retry: flag(),
  rewindFiles: flag(),
  yes: flag(),
  ...{ model, permissionMode, allow, deny, host, maxSteps, outputFormat },
};

export const resume = defineCommand({
  help: (help) => help.resume,
  arguments: {
    session: optional(),
    prompt: rest(),
  },
  options,
  run: async ({ arguments: { session, prompt: words }, options: given, frame: bare }): Promise<ExitCode> => {
    const prompt = words.join(" ").trim();
    const wanted = wayGiven(given, prompt);
    const screen = screenOf(bare);
    if (wanted === undefined && !given.yes && given.outputFormat === undefined && screen !== undefined) {
      return resumeOnScreen(bare, screen, session, given);
    }
    const store = openStore(bare);
    const here = await withSession(bare, store, session);
    const found = await findResumable(here, store);
    const frame = await contextOfSession(here, found.view.header);
    const { worker, recap } = found;
    if (worker !== undefined) {
      if (wanted !== undefined) throw heldBy(found.view.id, worker);
      await showWorker(frame, found, worker);
      return 0;
    }
    if (wanted === undefined) await showRecap(frame, found);
    const way = wanted ?? (await askWay(frame, recap.open.turn));
    const seen = wanted === undefined ? "shown" : "unseen";
    return way === undefined ? 0 : resumeBy(frame, { ...found, bare, way, given, prompt, seen });
  },
});

/** Opens the screen, which shows the recap and, if a turn was interrupted, the choices. */
async function resumeOnScreen(
  frame: Frame,
  screen: Screen,
  session: string | undefined,
  given: OptionValues<typeof options>,
): Promise<ExitCode> {
  const named = await withSession(frame, openStore(frame), session);
  const { request } = callFor(frame, "the last", given);
  const wanted = named.common.session;
  const resumed = wanted === undefined ? { how: "continue" as const } : { how: "resume" as const, wanted };
  return openTerminal(frame, { screen, request: { ...request, resume: resumed } });
}

async function showRecap(frame: Frame, { view, recap }: ResumableSession): Promise<void> {
  const { output, strings } = frame;
  const choices = waysToResume(recap).map((way) => ({
    way,
    command: commandAgain(frame.common, { do: "resume", session: view.id, how: way }),
  }));
  const lines = [
    strings.resume.session(sessionName(await namedSession(view), strings)),
    recapText(recap, strings),
  ];
  output.answer({ session: view.id, ...recap, choices }, () => {
    if (canAsk(frame) && recap.open.turn.state === "cut") return lines.join("\n");
    const ways = choices.map(({ way, command: line }) => `  ${line}\n      ${strings.resume.choice[way]}`);
    return [...lines, strings.resume.choices, ...ways].join("\n");
  });
}

/**
 * Shows which program is working on the session. While a program is working on the session, the last turn is still
 * running and was not interrupted.
 */
async function showWorker(
  { output, strings, common }: Frame,
  { view, recap }: ResumableSession,
  worker: Worker,
): Promise<void> {
  const { name, pid, host, since } = worker.owner;
  const until = worker.until === undefined ? {} : { until: worker.until };
  const turn = { state: "running", by: { name, pid, host, since, ...until } };
  const open = { ...recap.open, turn };
  const named = sessionName(await namedSession(view), strings);
  const copy = commandAgain(common, { do: "open", session: view.id, how: "fork" });
  output.answer({ session: view.id, ...recap, open, choices: [] }, () =>
    [
      strings.resume.session(named),
      strings.resume.workedOn(strings.sessionsHere.owner(name, pid, host)),
      ...(worker.until === undefined ? [] : [strings.resume.lease(clockTime(Date.parse(worker.until)))]),
      strings.resume.copy(copy),
    ].join("\n"),
  );
}

interface ResumeOptions extends ResumableSession {
  /** The frame of the folder that the user is in. */
  readonly bare: Frame;
  readonly way: ResumeWay;
  readonly given: OptionValues<typeof options>;
  readonly prompt: string;
  /** Whether the user has already seen the recap. */
  readonly seen: "shown" | "unseen";
}

async function resumeBy(frame: Frame, wanted: ResumeOptions): Promise<ExitCode> {
  const { view, recap, way, given, prompt, seen } = wanted;
  if (way === "rewindFiles") return rewindFiles(frame, wanted);
  const call = callFor(frame, view.id, given);
  if (way === "prompt") {
    return runTurn(frame, call, { work: (agent) => agent.prompt(prompt), recap: seen });
  }
  if (recap.open.turn.state === "idle") throw new WorldlineError("turn-has-ended", { session: view.id });
  if (way === "continue") {
    return runTurn(frame, call, { work: (agent) => agent.resume("continue"), recap: seen });
  }
  const retries = (await frame.settings()).values["recovery.maxRetries"];
  return runTurn(frame, call, {
    work: (agent, signal) => retryStep(frame, agent, { retries, signal }),
    recap: seen,
  });
}

/** Rewinds the files to their state before the interrupted step, as `rewind` would. */
async function rewindFiles(frame: Frame, { bare, given, ...found }: ResumeOptions): Promise<ExitCode> {
  const checkpoint = await checkpointOfCut(frame, found);
  const { runRewind } = await import("./journeys/rewind.ts");
  return runRewind(frame, {
    checkpoint,
    options: {
      ...{ scope: "files", only: [], keep: false, take: false, merge: false },
      ...{ dryRun: false, yes: given.yes },
    },
    standing: { ...bare, common: { ...bare.common, session: undefined } },
  });
}

function callFor(frame: Frame, id: SessionId | "the last", given: OptionValues<typeof options>): AgentCall {
  const absent = {
    print: true,
    continue: false,
    fork: false,
    noSession: false,
    listSessions: false,
  } as const;
  const { common } = frame;
  return readAgentOptions(
    { ...given, ...absent, resume: { value: id } },
    { common: { ...common, session: undefined } },
  );
}

interface GivenWays {
  readonly continue: boolean;
  readonly retry: boolean;
  readonly rewindFiles: boolean;
}

/** Returns how to resume, as specified on the command line, or undefined if nothing is specified. */
function wayGiven(given: GivenWays, prompt: string): ResumeWay | undefined {
  const ways: readonly (readonly [ResumeWay, boolean])[] = [
    ["continue", given.continue],
    ["retry", given.retry],
    ["rewindFiles", given.rewindFiles],
    ["prompt", prompt !== ""],
  ];
  const [chosen, other] = ways.flatMap(([way, isGiven]) => (isGiven ? [way] : []));
  if (other === undefined) return chosen;
  throw new WorldlineError("one-way-to-go-on", {});
}

const KEYS: Readonly<Record<string, ResumeWay>> = { c: "continue", r: "retry", f: "rewindFiles" };

/**
 * Asks the user how to resume, if there is a choice and the user can be asked. Resolves with undefined if nothing
 * should be resumed.
 */
async function askWay(frame: Frame, turn: TurnState): Promise<ResumeWay | undefined> {
  if (turn.state === "idle" || !canAsk(frame)) return undefined;
  const { output, strings } = frame;
  for await (const line of askAgain(strings.resume.question, frame)) {
    const typed = line.trim().toLowerCase();
    if (typed === "" || typed === "\u001b") return undefined;
    const way = KEYS[typed];
    if (way !== undefined) return way;
    output.notice(strings.resume.notUnderstood(typed));
  }
  return undefined;
}
