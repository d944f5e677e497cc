import { Listeners, type Session } from "../machine/session.ts";
import type { AgentEvent, Busy } from "../ports/agent-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { PermissionMode, Person } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { TaskOf } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { noUsage, type Part, sumOfUsage, type Usage } from "../record/parts.ts";
import { branchOf } from "../timeline/outline.ts";
import type { Rules } from "./permissions/rules.ts";
import type { BackgroundCommands } from "./tools/bash/background.ts";
import type { KeepOutput } from "./tools/bash/kept-output.ts";
import type { ShellContext } from "./tools/bash/run-shell.ts";
import { Captures } from "./turn/files/captures.ts";
import { OutsideChanges } from "./turn/files/running-calls.ts";

/** Creates the session of a sub-agent, linked to its parent session. */
export type OpenSubSession = (wanted: { readonly system: string; readonly task: TaskOf }) => Promise<Session>;

/** The options of every agent, whichever host runs it. */
export interface AgentOptions {
  /** The agent holds the session's lease, and closes the session. */
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly mode: PermissionMode;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  /** The files of the workspace, if the session has checkpoints of files. The caller closes them. */
  readonly files?: WorkspaceFiles | undefined;
  /** The environment of commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that hold API keys according to the settings; commands do not get them. */
  readonly secretVariables: readonly string[];
  /** Saves the whole output of a command that is too long for the model, in `outputs`; returns the path of the file. */
  readonly keepOutput: KeepOutput;
  /** The real path of the folder for long outputs. */
  readonly outputs: string;
  readonly openSubSession: OpenSubSession;
  /** One gate for all agents of a front end; by default the agent creates its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws if the user must not enter that mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

type Shared = "session" | "person" | "rules" | "settings" | "clock" | "files" | "outputs";

/** Everything that an agent's turns work with, whichever host runs the agent. All turns share the same object. */
export interface AgentContext extends Pick<AgentOptions, Shared> {
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly emit: (event: AgentEvent) => void;
  /** The environment and settings of commands. */
  readonly shell: ShellContext;
  readonly captures: Captures;
  /** Files that tools changed outside the snapshots. */
  readonly outside: OutsideChanges;
  readonly queue: PromptQueue;
  /** The cost of sub-agents and summaries. The turn takes the sum and adds it to its own cost. */
  readonly spending: Spending;
  /** The permission rules that the user granted for this session. */
  readonly grants: () => Promise<readonly string[]>;
}

interface ContextOptions extends Pick<AgentContext, "mode" | "setMode" | "emit"> {
  readonly background: BackgroundCommands;
  /** The grants of the session; by default those on its own branch. */
  readonly grants?: AgentContext["grants"] | undefined;
  /** Present in a sub-agent: the captures of the parent session, which owns the files. */
  readonly above?: Captures | undefined;
}

export function createContext(options: AgentOptions, own: ContextOptions): AgentContext {
  const { session, person, rules, settings, clock, files, outputs } = options;
  const { environment, secretVariables, keepOutput } = options;
  const { mode, setMode, emit, background, above } = own;
  const { workspace } = session.header;
  return {
    ...{ session, person, rules, settings, clock, files, outputs, workspace, mode, setMode, emit },
    shell: { workspace, environment, secretVariables, keepOutput, background },
    captures: new Captures({ session, files, clock, firstWaitMs: settings.firstWaitMs, emit, above }),
    outside: new OutsideChanges(),
    queue: new PromptQueue(),
    spending: new Spending(),
    grants: own.grants ?? (async () => grantsOn(session)),
  };
}

const DEFAULT_RESERVE = 50_000;

export type Reserve = number | "auto";

/**
 * How many tokens to keep free for the reply and its results: at most half of the window, because a compaction could
 * not free more.
 */
export function reserveOf(window: number, reserve: Reserve = "auto"): number {
  return reserve === "auto" ? Math.min(DEFAULT_RESERVE, window / 4) : Math.min(reserve, window / 2);
}

/** The settings that the agent reads. */
export interface AgentSettings {
  /** How many model calls a turn may make. Calls that a backtrack undid do not count. */
  readonly maxSteps: number;
  /** How many times a failed model call is retried from the last checkpoint. */
  readonly maxRetries: number;
  /** How long tools that may change anything wait for the first capture of the workspace. */
  readonly firstWaitMs: number;
  readonly backtrack: {
    /** How much of a backtrack the user sees. */
    readonly display: "card" | "line" | "off";
    /** Whether the model may mention a backtrack to the user. */
    readonly mention: "allowed" | "never";
  };
  readonly compaction: {
    readonly auto: "on" | "off";
    readonly ratio: number;
    readonly keep: number;
    /** How many tokens of the window stay free for the reply and its results. */
    readonly reserve: Reserve;
  };
}

export const defaultAgentSettings: AgentSettings = {
  maxSteps: 100,
  maxRetries: 3,
  firstWaitMs: 60_000,
  backtrack: { display: "card", mention: "allowed" },
  compaction: { auto: "on", ratio: 0.85, keep: 2, reserve: "auto" },
};

/** The permission rules that the user granted for the session on this branch. Going back revokes later grants. */
export async function grantsOn(session: Session): Promise<readonly string[]> {
  const lines = branchOf(session.outline).flatMap(({ kind, seq }) => (mayGrant(kind) ? seq : []));
  const entries = await session.storedEntries(lines);
  return entries.flatMap((entry) =>
    mayGrant(entry.kind) && "granted" in entry ? (entry.granted ?? []) : [],
  );
}

/** A grant is logged with the start of its call, or by a host that asked during a call. */
function mayGrant(kind: string): boolean {
  return kind === "tool-start" || kind === "host";
}

interface QueuedPrompt {
  readonly prompt: readonly Part[];
  readonly onWritten: () => void;
}

/** Prompts that the user sends while a turn runs, in order, until they are logged. */
export class PromptQueue {
  readonly #prompts: QueuedPrompt[] = [];

  /** `onWritten` is called once the prompt is logged, but never for a prompt that `takeUnsent` removes. */
  push(prompt: readonly Part[], onWritten: () => void = () => undefined): void {
    this.#prompts.push({ prompt, onWritten });
  }

  /** Passes the first prompt to `write`, and removes the prompt once it is written. Undefined if the queue is empty. */
  async next<Written>(write: (prompt: readonly Part[]) => Promise<Written>): Promise<Written | undefined> {
    const [first] = this.#prompts;
    if (first === undefined) return undefined;
    const written = await write(first.prompt);
    this.#prompts.shift();
    first.onWritten();
    return written;
  }

  /** Writes all prompts, including prompts that arrive while it runs; returns how many. */
  async all(write: (prompt: readonly Part[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (; this.#prompts.length > 0; count += 1) await this.next(write);
    return count;
  }

  /** Removes and returns the prompts that were not written. */
  takeUnsent(): readonly (readonly Part[])[] {
    return this.#prompts.splice(0).map(({ prompt }) => prompt);
  }
}

/** Collects the steps, usage and answer of a turn. */
export class Tally {
  backtracks = 0;
  answer = "";
  #usage: Usage = noUsage;
  #cost: number | undefined = 0;
  /** The checkpoints of the steps that are still on the branch. */
  #steps: number[] = [];

  get steps(): number {
    return this.#steps.length;
  }

  /** The checkpoint of the current step; 0 before the first. */
  get lastStep(): number {
    return this.#steps.at(-1) ?? 0;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Undefined as soon as the price of one call is unknown. */
  get cost(): number | undefined {
    return this.#cost;
  }

  beginStep(checkpoint: number): void {
    this.#steps.push(checkpoint);
  }

  /** Called when a model call failed and its step is repeated from another checkpoint. */
  takeBackStep(): void {
    this.#steps.pop();
  }

  /**
   * Called after a backtrack: the steps after the checkpoint no longer count, and the step at the checkpoint is
   * repeated.
   */
  wentBackTo(checkpoint: number): void {
    this.backtracks += 1;
    this.#steps = this.#steps.filter((step) => step < checkpoint);
  }

  add(usage: Usage, price: number | undefined): void {
    this.#usage = sumOfUsage(this.#usage, usage);
    this.#cost = this.#cost === undefined || price === undefined ? undefined : this.#cost + price;
  }
}

interface Spent {
  readonly usage: Usage;
  /** In US dollars; undefined if the price is unknown. */
  readonly cost: number | undefined;
}

/** Collects the cost of sub-agents and summaries until the turn adds it up. */
class Spending {
  #spent: Spent[] = [];

  add(spent: Spent): void {
    this.#spent.push(spent);
  }

  take(): readonly Spent[] {
    return this.#spent.splice(0);
  }
}

interface Holder {
  readonly busy: Exclude<Busy, "nothing">;
  /** Aborted by an interrupt; undefined for work that must not be interrupted. */
  readonly stop: AbortController | undefined;
  readonly ended: Promise<void>;
}

/**
 * Lets only one piece of work at a time use a session: a turn, a user's command, a compaction, or a front end that
 * holds the session for a journey. Other work is rejected with TURN_RUNNING. A front end that replaces its agent
 * passes the same gate to the next agent, so that nothing can start in between.
 */
export class TurnGate {
  #holder: Holder | undefined;
  readonly #listeners = new Listeners<Busy>();

  get busy(): Busy {
    return this.#holder?.busy ?? "nothing";
  }

  /** Calls the listener with every change of `busy`. Returns a function that removes the listener. */
  on(listener: (busy: Busy) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Runs an agent's work, which an interrupt can stop. */
  async run<Result>(
    busy: "turn" | "command" | "compaction",
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    return this.#take({ busy, stop }, async () => work(stop.signal));
  }

  /** Runs a front end's work, which cannot be interrupted, because a restore must not stop halfway. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#take({ busy: "held", stop: undefined }, work);
  }

  /**
   * Interrupts the current work if possible, and resolves when it has ended. Does not wait for `hold`, which may close
   * the agent.
   */
  async interrupt(): Promise<void> {
    const holder = this.#holder;
    if (holder?.stop === undefined) return;
    holder.stop.abort();
    await holder.ended;
  }

  /** Resolves when no `hold` is active. */
  async released(): Promise<void> {
    while (this.#holder?.busy === "held") await this.#holder.ended;
  }

  async #take<Result>(by: Omit<Holder, "ended">, work: () => Promise<Result>): Promise<Result> {
    if (this.#holder !== undefined) throw new WorldlineError("running-here", {});
    // The work starts only after the holder is set, because a listener may interrupt it immediately.
    const working = Promise.resolve()
      .then(work)
      .finally(() => {
        this.#holder = undefined;
        this.#listeners.emit("nothing");
      });
    const ended = working.then(
      () => undefined,
      () => undefined,
    );
    this.#holder = { ...by, ended };
    this.#listeners.emit(by.busy);
    return working;
  }
}
