import { BackgroundCommands } from "../../agent/tools/bash/bash.ts";
import {
  contextOfSession,
  namedSession,
  openToAct,
  refuseExecution,
  sessionsHere,
  withSession,
} from "../../app/sessions/find-session.ts";
import { heldBy, withHeld } from "../../app/sessions/hold-session.ts";
import { holderIn, openSessionDeps, openStore, type Worker, workerIn } from "../../app/sessions/store.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { sdkProcesses } from "../../hosts/claude-agent-sdk/sdk/process.ts";
import { filesAt } from "../../machine/files/look.ts";
import { recapOf } from "../../machine/queries/recap.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Agent } from "../../ports/agent.ts";
import type { TurnEnd } from "../../ports/agent-events.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ErrorCode, WorldlineError } from "../../record/error.ts";
import type { Usage } from "../../record/parts.ts";
import { recapText } from "../../show/recap-text.ts";
import { sessionName } from "../../show/session-text.ts";
import { clockTime } from "../../strings/clock.ts";
import { branchOf } from "../../timeline/outline.ts";
import type { Recap } from "../../timeline/recap.ts";
import type { TurnState } from "../../timeline/turn-state.ts";
import { askAgain, canAsk } from "../ask.ts";
import { defineCommand, flag, type OptionValues, optional, rest } from "../command.ts";
import { commandAgain } from "../command-again.ts";
import type { ExitCode } from "../exit.ts";
import type { Frame, Screen } from "../frame.ts";
import { type AgentCall, agentOptions, openTerminal, readAgentOptions, screenOf } from "./agent/agent.ts";
import { runTurn } from "./agent/print-answer.ts";
import type { PrintedTurn } from "./agent/print-turn.ts";

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
    const wanted = howOf(given, prompt);
    const screen = screenOf(bare);
    if (wanted === undefined && !given.yes && given.outputFormat === undefined && screen !== undefined) {
      return resumeOnScreen(bare, screen, session, given);
    }
    const store = openStore(bare);
    const here = await withSession(bare, store, session);
    const view = await sessionOf(here);
    const frame = await contextOfSession(here, view.header);
    const recap = await recapOf(view, await holderIn(store, view.id));
    const worker = await workerIn(store, view.id);
    if (worker !== undefined) return workedOn(frame, { view, recap, worker, wanted });
    if (wanted === undefined) await showRecap(frame, view, recap);
    const how = wanted ?? (await askHow(frame, recap.open.turn));
    const seen = wanted === undefined ? "shown" : "unseen";
    return how === undefined ? 0 : goOn(frame, { view, recap, how, given, prompt, seen });
  },
});

/** The recap, and the choices where a turn was cut, are shown there. */
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

async function sessionOf(frame: Frame): Promise<SessionView> {
  const store = openStore(frame);
  if (frame.common.session !== undefined) {
    const view = await openToAct(frame, store, frame.common.session);
    refuseExecution(view.header);
    return view;
  }
  const latest = (await sessionsHere(frame, store)).find(({ header }) => header.mode === "agent");
  if (latest !== undefined) return latest;
  const workspace = await frame.workspace();
  throw new WorldlineError("no-session-of-an-agent", { workspace });
}

async function showRecap(frame: Frame, view: SessionView, recap: Recap): Promise<void> {
  const { output, strings } = frame;
  const choices = choicesOf(frame, view.id, recap);
  const lines = [
    strings.resume.session(sessionName(await namedSession(view), strings)),
    recapText(recap, strings),
  ];
  output.answer({ session: view.id, ...recap, choices }, () => {
    if (canAsk(frame) && recap.open.turn.state === "cut") return lines.join("\n");
    const ways = choices.map(({ way, command }) => `  ${command}\n      ${strings.resume.choice[way]}`);
    return [...lines, strings.resume.choices, ...ways].join("\n");
  });
}

interface GoOnOptions {
  readonly view: SessionView;
  readonly recap: Recap;
  readonly how: How;
  readonly given: OptionValues<typeof options>;
  readonly prompt: string;
  /** Whether the user has just read the recap. */
  readonly seen: "shown" | "unseen";
}

async function goOn(frame: Frame, { view, recap, how, given, prompt, seen }: GoOnOptions): Promise<ExitCode> {
  const { turn } = recap.open;
  if (how === "rewind-files") return rewindFiles(frame, { view, turn, yes: given.yes ? "yes" : "no" });
  const call = callFor(frame, view.id, given);
  if (how === "prompt") {
    return runTurn(frame, call, { work: (agent) => agent.prompt(prompt), recap: seen });
  }
  if (turn.state === "idle") throw nothingCut(view.id);
  if (how === "continue")
    return runTurn(frame, call, { work: (agent) => agent.resume("continue"), recap: seen });
  const { values } = await frame.settings();
  const retries = values["recovery.maxRetries"];
  const work: PrintedTurn["work"] = (agent, signal) => retryStep(frame, agent, { retries, signal });
  return runTurn(frame, call, { work, recap: seen });
}

function callFor(frame: Frame, id: string, given: OptionValues<typeof options>): AgentCall {
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

function nothingCut(session: string): WorldlineError {
  return new WorldlineError("turn-has-ended", { session });
}

/** How a session goes on. */
export type How = "continue" | "retry" | "rewind-files" | "prompt";

interface Given {
  readonly continue: boolean;
  readonly retry: boolean;
  readonly rewindFiles: boolean;
}

/** What the user has said on the command line; undefined where nothing. */
export function howOf(given: Given, prompt: string): How | undefined {
  const ways: readonly (readonly [How, boolean])[] = [
    ["continue", given.continue],
    ["retry", given.retry],
    ["rewind-files", given.rewindFiles],
    ["prompt", prompt !== ""],
  ];
  const [how, other] = ways.flatMap(([way, isGiven]) => (isGiven ? [way] : []));
  if (other === undefined) return how;
  throw new WorldlineError("one-way-to-go-on", {});
}

export interface WayOn {
  readonly way: "continue" | "retry" | "rewindFiles" | "prompt";
  readonly command: string;
}

/** Every way on, as a command to copy. Files go back only to before a step that there was, where it was. */
export function choicesOf(
  { common }: Frame,
  session: string,
  { open: { turn }, elsewhere = [] }: Recap,
): readonly WayOn[] {
  const command = commandAgain(common, `resume ${session}`);
  const prompt: WayOn = { way: "prompt", command: `${command} "..."` };
  if (turn.state === "idle") return [prompt];
  const isHere = !elsewhere.some(({ checkpoints }) => checkpoints.includes(turn.step));
  return [
    { way: "continue", command: `${command} --continue` },
    { way: "retry", command: `${command} --retry` },
    ...(turn.step > 0 && isHere
      ? [{ way: "rewindFiles" as const, command: `${command} --rewind-files` }]
      : []),
    prompt,
  ];
}

const KEYS: Readonly<Record<string, How>> = { c: "continue", r: "retry", f: "rewind-files" };

/** Asks the user, where there is a choice and the user can be asked. Undefined: it stays as it is. */
export async function askHow(frame: Frame, turn: TurnState): Promise<How | undefined> {
  if (turn.state === "idle" || !canAsk(frame)) return undefined;
  const { output, strings } = frame;
  for await (const line of askAgain(strings.resume.question, frame)) {
    const typed = line.trim().toLowerCase();
    if (typed === "" || typed === "\u001b") return undefined;
    const how = KEYS[typed];
    if (how !== undefined) return how;
    output.notice(strings.resume.notUnderstood(typed));
  }
  return undefined;
}

/** A program has the session open, so its last turn has not been cut: it is running. */
export interface WorkedOn {
  readonly view: SessionView;
  readonly recap: Recap;
  readonly worker: Worker;
  readonly wanted: How | undefined;
}

/** Shows which program it is; going on is refused. */
export async function workedOn(
  { output, strings, common }: Frame,
  { view, recap, worker, wanted }: WorkedOn,
): Promise<ExitCode> {
  if (wanted !== undefined) throw heldBy(view.id, worker);
  const { name, pid, host, since } = worker.owner;
  const until = worker.until === undefined ? {} : { until: worker.until };
  const turn = { state: "running", by: { name, pid, host, since, ...until } };
  const open = { ...recap.open, turn };
  const named = sessionName(await namedSession(view), strings);
  const copy = commandAgain(common, `-r ${view.id} --fork`);
  output.answer({ session: view.id, ...recap, open, choices: [] }, () =>
    [
      strings.resume.session(named),
      strings.resume.workedOn(strings.sessionsHere.owner(name, pid, host)),
      ...(worker.until === undefined ? [] : [strings.resume.lease(clockTime(Date.parse(worker.until)))]),
      strings.resume.copy(copy),
    ].join("\n"),
  );
  return 0;
}

/** What may be otherwise in a while, without anybody doing something about it. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"]);
const FIRST_PAUSE_MS = 5_000;

export interface Retrying {
  readonly retries: number;
  /** Ends the pause, and with it the trying. */
  readonly signal: AbortSignal;
  readonly clock?: Pick<Clock, "wait">;
}

/**
 * Does the last step again, and again where the provider fails in a way that may pass. Within the turn its calls were
 * tried several times already, within seconds; here the pauses are longer, and double each time.
 */
export async function retryStep(
  { output, strings }: Frame,
  agent: Pick<Agent, "resume">,
  { retries, signal, clock = systemClock }: Retrying,
): Promise<TurnEnd> {
  let end = await agent.resume("retry");
  for (let attempt = 1; attempt <= retries; attempt += 1) {
    const { error } = end;
    if (end.outcome !== "failed" || error === undefined || !MAY_PASS.has(error.code)) return end;
    const waitMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
    output.warn(strings.resume.retrying({ attempt, of: retries, waitMs, message: error.message }));
    await clock.wait(waitMs, signal);
    if (signal.aborted) return interrupted(end);
    end = together(end, await agent.resume("retry"));
  }
  return end;
}

function interrupted({ error: _, ...end }: TurnEnd): TurnEnd {
  return { ...end, outcome: "interrupted" };
}

/** What was used is used, whether or not it led to something. */
function together(before: TurnEnd, after: TurnEnd): TurnEnd {
  const cost =
    before.cost === undefined || after.cost === undefined ? {} : { cost: before.cost + after.cost };
  const { cost: _, ...rest } = after;
  return {
    ...rest,
    ...cost,
    steps: before.steps + after.steps,
    backtracks: before.backtracks + after.backtracks,
    usage: sum(before.usage, after.usage),
    milliseconds: before.milliseconds + after.milliseconds,
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export interface FilesToRewind {
  readonly view: SessionView;
  readonly turn: TurnState;
  readonly yes: "yes" | "no";
}

/**
 * Takes the files back to before the step that was cut: the rewind that the user could have typed. What the killed run
 * left running is ended first: it would go on changing what is taken back.
 */
export async function rewindFiles(frame: Frame, { view, turn, yes }: FilesToRewind): Promise<ExitCode> {
  if (turn.state === "idle" || turn.step === 0) throw noStep();
  if (!(await isCaptured(view, turn.step))) throw await notCaptured(view, turn.step);
  await endLeftovers(frame, view);
  const { rewind } = await import("./journeys/rewind.ts");
  const code = await rewind.run?.({
    arguments: { cp: `${view.id}:${turn.step}` },
    options: {
      ...{ scope: "files", only: [], keep: false, take: false, merge: false },
      ...{ dryRun: false, yes: yes === "yes" },
    },
    // The checkpoint names its session; two names for one would be compared.
    frame: { ...frame, common: { ...frame.common, session: undefined } },
  });
  return code ?? 0;
}

/** The session is held meanwhile, so that only what a killed run started is ended. */
async function endLeftovers(frame: Frame, { id }: SessionView): Promise<void> {
  const all = [new BackgroundCommands(id), sdkProcesses(id)];
  if (all.every((each) => each.leftovers().length === 0)) return;
  const hold = { context: frame, deps: await openSessionDeps(frame), session: id, name: "worldline resume" };
  const ended = await withHeld(hold, async () => Promise.all(all.map(async (each) => each.endLeftovers())));
  if (ended.flat().length > 0) frame.output.warn(frame.strings.resume.ended(ended.flat()));
}

async function isCaptured(view: SessionView, checkpoint: number): Promise<boolean> {
  const { state } = await filesAt(view, undefined, checkpoint);
  return state === "complete" || state === "partial";
}

/** A step may begin before the capture of its files is done. An older state is offered, never taken in its place. */
async function notCaptured(view: SessionView, step: number): Promise<WorldlineError> {
  const earlier = branchOf(view.outline).filter(
    ({ kind, number }) => (kind === "checkpoint" || kind === "step") && number < step,
  );
  let older: number | undefined;
  for (const { number } of earlier.toReversed()) {
    older ??= (await isCaptured(view, number)) ? number : undefined;
  }
  return new WorldlineError("files-before-step-not-captured", {
    session: view.id,
    step,
    ...(older === undefined ? {} : { older }),
  });
}

function noStep(): WorldlineError {
  return new WorldlineError("no-step-was-cut", {});
}
