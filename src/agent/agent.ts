import { presentAuthor } from "../machine/files/look.ts";
import { turnStateOf } from "../machine/queries/recap.ts";
import { type Listener, Listeners, type Session } from "../machine/session.ts";
import type { Agent, PromptSource } from "../ports/agent.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "../ports/agent-events.ts";
import type { PermissionMode } from "../ports/person.ts";
import { type CallReason, callReasonInEnglish } from "../record/call-reason.ts";
import type { Author } from "../record/entry.ts";
import { type EnglishError, inEnglish, problemOf, remark, WorldlineError } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import { BACKTRACK_TOOL, type Part, textPart } from "../record/parts.ts";
import { branchSince, nearest } from "../timeline/outline.ts";
import type { CutTurn } from "../timeline/turn-state.ts";
import { isAlreadyThere } from "../travel/rewind.ts";
import { type AgentContext, type AgentOptions, createContext, Tally, TurnGate } from "./agent-context.ts";
import { BackgroundCommands } from "./tools/bash/background.ts";
import { endCutCommands, runCommand } from "./turn/run-command.ts";
import { type Outcome, runTurn } from "./turn/turn.ts";
import type { TurnContext } from "./turn/turn-context.ts";

/** How a turn starts, and who has changed files since the last turn. */
export type TurnStart = { readonly author: Author } & (
  | { readonly how: "prompt"; readonly prompt: readonly Part[]; readonly source: PromptSource }
  /** Continues a turn that was cut off. */
  | { readonly how: "continue" | "retry" }
);

/**
 * The part of an agent that depends on its host: which model answers, and how a turn runs. `SessionAgent` does the
 * rest.
 */
export interface Engine {
  /** The host's name in the `--host` option. Absent for our own agent. */
  readonly host?: string | undefined;
  /** The current model and its tools. */
  readonly model: { readonly name: string; readonly window: number; readonly tools: readonly string[] };
  /** Throws if this engine does not accept the prompt. */
  checkPrompt?(prompt: readonly Part[]): void;
  /**
   * Terminates processes and removes files that a killed run of this session left behind. Called before the first turn
   * or command. Returns the name of the agent's own program if it was still running.
   */
  endLeftovers(): Promise<string | undefined>;
  /**
   * Returns who has changed files since the last turn or command. Called before every turn and command. By default, all
   * these changes count as outside changes, unless the log shows that they were made by work that a crash interrupted.
   */
  settle?(): Promise<Author>;
  /** Runs the whole turn, from logging its first entry to its last step. */
  turn(start: TurnStart, tally: Tally, signal: AbortSignal): Promise<Outcome>;
  compact(focus: string | undefined, signal: AbortSignal): Promise<CompactionTold>;
  setModel(name: string): Promise<void>;
  /** Called after the permission mode has changed. */
  modeChanged?(mode: PermissionMode): void;
  /** Called after the last turn has ended, before the session is closed. */
  close?(): Promise<void>;
}

/** An agent that holds a session. Implements the `Agent` contract on top of an engine. */
export abstract class SessionAgent<Own extends Engine = Engine> implements Agent {
  protected readonly engine: Own;
  readonly #options: AgentOptions;
  readonly #context: AgentContext;
  readonly #gate: TurnGate;
  readonly #leaveGate: () => void;
  readonly #listeners = new Listeners<AgentEvent>();
  #mode: PermissionMode;
  /** Whether this agent has already started a turn or a command. */
  #hasWorked = false;

  protected constructor(options: AgentOptions, createEngine: (context: AgentContext) => Own) {
    const { session, gate = new TurnGate() } = options;
    this.#options = options;
    this.#mode = options.mode;
    this.#context = createContext(options, {
      mode: () => this.#mode,
      setMode: (mode) => this.#enter(mode),
      emit: (event) => this.#emit(event),
      background: new BackgroundCommands(session.id),
    });
    this.engine = createEngine(this.#context);
    this.#gate = gate;
    this.#leaveGate = gate.on((busy) => this.#emit({ type: "busy", busy }));
    session.on(forwardLogEvents(this.#context.emit));
  }

  get session(): SessionId {
    return this.#context.session.id;
  }

  get workspace(): string {
    return this.#context.workspace;
  }

  get model(): string {
    return this.engine.model.name;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  get busy(): Busy {
    return this.#gate.busy;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    const stop = this.#listeners.add(listener);
    const { host } = this.engine;
    const { name, window, tools } = this.engine.model;
    listener({
      type: "session",
      version: 1,
      session: this.session,
      workspace: this.workspace,
      resumed: this.#options.resumed,
      host,
      model: name,
      window,
      mode: this.#mode,
      tools,
    });
    return stop;
  }

  async prompt(content: string | readonly Part[], source: PromptSource = "typed"): Promise<TurnEnd> {
    const prompt = partsOf(content);
    this.engine.checkPrompt?.(prompt);
    return this.#gate.run("turn", async (signal) => this.#turn({ how: "prompt", prompt, source }, signal));
  }

  queue(content: string | readonly Part[], onWritten?: () => void): void {
    this.#context.queue.push(partsOf(content), onWritten);
  }

  async resume(how: "continue" | "retry"): Promise<TurnEnd> {
    return this.#gate.run("turn", async (signal) => {
      await requireCut(this.#context.session);
      return this.#turn({ how }, signal);
    });
  }

  async interrupt(): Promise<void> {
    await this.#gate.interrupt();
  }

  async compact(focus?: string): Promise<CompactionTold> {
    return this.#gate.run("compaction", async (signal) => this.engine.compact(focus, signal));
  }

  setMode(mode: PermissionMode): void {
    this.#options.checkMode?.(mode);
    this.#enter(mode);
  }

  async setModel(name: string): Promise<void> {
    await this.engine.setModel(name);
  }

  async run(command: string, visibility: "model" | "user-only"): Promise<CommandEnd> {
    return this.#gate.run("command", async (signal) => {
      try {
        const author = await this.#settle();
        return await runCommand(this.#context, { command, visibility, author, signal });
      } finally {
        this.#emit({ type: "doing", doing: { what: "nothing" } });
      }
    });
  }

  skipCaptureWait(): void {
    this.#context.captures.skipCaptureWait();
  }

  async close(): Promise<void> {
    const { session, shell, captures } = this.#context;
    await this.interrupt();
    await this.engine.close?.();
    await shell.background.close();
    await captures.finished();
    await session.close();
    this.#leaveGate();
  }

  async #turn(start: DistributedOmit<TurnStart, "author">, signal: AbortSignal): Promise<TurnEnd> {
    const tally = new Tally();
    return runTurn(this.#context, tally, async () =>
      this.engine.turn({ ...start, author: await this.#settle() }, tally, signal),
    );
  }

  async #settle(): Promise<Author> {
    const isFirst = !this.#hasWorked;
    if (isFirst && this.#options.resumed !== "new") await this.#endLeftovers();
    this.#hasWorked = true;
    if (this.engine.settle !== undefined) return this.engine.settle();
    return isFirst ? presentAuthor(this.#context.session, {}) : "outside";
  }

  /** Terminates commands that a killed run left running, because they would keep changing files during this run. */
  async #endLeftovers(): Promise<void> {
    const { session, shell } = this.#context;
    await endCutCommands(session);
    const program = await this.engine.endLeftovers();
    const commands = await shell.background.endLeftovers();
    if (program === undefined && commands.length === 0) return;
    const left = { commands, ...(program === undefined ? {} : { program }) };
    const { why: message, ...made } = remark("left-running", left);
    this.#emit({ type: "warning", code: "LEFT_RUNNING", message, ...made });
  }

  #enter(mode: PermissionMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.engine.modeChanged?.(mode);
    this.#emit({ type: "mode", mode });
  }

  #emit(event: AgentEvent): void {
    this.#listeners.emit(event);
  }
}

type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

function partsOf(content: string | readonly Part[]): readonly Part[] {
  return typeof content === "string" ? [textPart(content)] : content;
}

/** Returns a listener that emits changes to a session's log as agent events. */
export function forwardLogEvents(emit: (event: AgentEvent) => void): Listener {
  return (event) => {
    if (event.type === "entry") emit(event);
    if (event.type === "storage-trouble") emit({ type: "warning", ...inWords(event.error) });
    if (event.type === "publish-failed") {
      const words = inEnglish("checkpoint-list-unwritten", { problem: problemOf(event.error) });
      emit({ type: "warning", ...words, code: "CHECKPOINT_LIST_UNWRITTEN" });
    }
  };
}

function inWords(error: WorldlineError): Omit<EnglishError, "code"> & { readonly code: string } {
  const { code, message, hint, reason, params } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }), reason, params };
}

/** Kinds of entries that are followed by a model call. */
const TURNS_ON: ReadonlySet<string> = new Set(["step", "prompt", "backtrack", "compaction"]);
const NEVER_STARTED: CallReason = { code: "not-started-cut" };
const NEVER_WENT_BACK = "The backtrack above was not carried out, because the program was stopped first.";

async function requireCut(session: Session): Promise<void> {
  if ((await turnStateOf(session)).state === "cut") return;
  throw new WorldlineError("turn-not-cut", {});
}

/**
 * Rewinds to the last step, so that the turn continues from there. Never rewinds past a later prompt, note or summary.
 */
export async function backToLastStep(session: Session, emit: AgentContext["emit"]): Promise<void> {
  const { outline } = session;
  const last = nearest(outline, outline.head, ({ kind }) => TURNS_ON.has(kind));
  if (last?.kind !== "step" || isAlreadyThere(outline, last)) return;
  await session.rewind({ to: last.number, scope: "conversation" });
  emit({ type: "journey", journey: "rewind", scope: "conversation", to: last.number });
}

/**
 * Logs a result for each call that had not started when the turn was cut off. Otherwise, the model would be told that
 * the effect of these calls is unknown, which is true only of calls whose start is logged.
 */
export async function answerUnstarted({
  session,
  tools,
}: Pick<TurnContext, "session" | "tools">): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { call, name } of turn.unansweredCalls) {
    if (tools.get(name)?.reach === "nothing") continue;
    const parts = [textPart(callReasonInEnglish(NEVER_STARTED))];
    await session.toolEnd(call, "interrupted", { parts, denial: NEVER_STARTED });
  }
}

/**
 * Tells the model, when the turn continues, that a backtrack was not carried out. A backtrack's result and its journey
 * are written together, but after a crash only the result may be in the log. The model would then believe that it has
 * returned to the checkpoint.
 */
export async function noteUndoneBacktrack({ session }: Pick<AgentContext, "session">): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "cut" && (await hasNotGoneBack(session, turn))) {
    await session.append({ kind: "notice", text: NEVER_WENT_BACK });
  }
}

async function hasNotGoneBack(session: Session, turn: CutTurn): Promise<boolean> {
  const calls = turn.finishedCalls.filter(({ name }) => name === BACKTRACK_TOOL).map(({ call }) => call);
  if (calls.length === 0 || turn.interruptedBy !== "unknown") return false;
  const reply = nearest(session.outline, session.outline.head, ({ kind }) => kind === "reply");
  const rows = branchSince(session.outline, reply?.seq ?? 0).filter(({ kind }) => kind === "tool-end");
  const ends = await session.storedEntries(rows.map(({ seq }) => seq));
  return ends.some(
    (entry) => entry.kind === "tool-end" && entry.outcome === "ok" && calls.includes(entry.call),
  );
}
