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

/** Options shared by all agents, regardless of which host runs them. */
export interface AgentOptions {
  /** The agent holds the session's lease and closes the session when the agent itself closes. */
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly mode: PermissionMode;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  /** The workspace files, present if the session has file checkpoints. The caller closes this object. */
  readonly files?: WorkspaceFiles | undefined;
  /** The environment variables for commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that, according to the settings, hold API keys. Commands do not receive these variables. */
  readonly secretVariables: readonly string[];
  /** Saves a command's whole output in `outputs` if it is too long for the model. Returns the file's path. */
  readonly keepOutput: KeepOutput;
  /** The real path of the folder where long outputs are saved. */
  readonly outputs: string;
  readonly openSubSession: OpenSubSession;
  /** The gate that all agents of a front end share. By default, the agent creates its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws if the user is not allowed to switch to this mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

type Shared = "session" | "person" | "rules" | "settings" | "clock" | "files" | "outputs";

/** Everything that an agent's turns need, regardless of which host runs the agent. All turns share the same object. */
export interface AgentContext extends Pick<AgentOptions, Shared> {
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly emit: (event: AgentEvent) => void;
  /** The environment and settings for running commands. */
  readonly shell: ShellContext;
  readonly captures: Captures;
  /** Files that tools changed outside the snapshots. */
  readonly outside: OutsideChanges;
  readonly queue: PromptQueue;
  /** The cost of sub-agents and summaries. The turn adds this cost to its own. */
  readonly spending: Spending;
  /** Returns the permission rules that the user granted for this session. */
  readonly grants: () => Promise<readonly string[]>;
}

interface ContextOptions extends Pick<AgentContext, "mode" | "setMode" | "emit"> {
  readonly background: BackgroundCommands;
  /** Returns the session's grants. By default, these are the grants on its own branch. */
  readonly grants?: AgentContext["grants"] | undefined;
  /** The captures of the parent session, which owns the files. Present only in a sub-agent. */
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
 * Returns how many tokens to keep free for the reply and its results. Never returns more than half of the window,
 * because a compaction could not free more.
 */
export function reserveOf(window: number, reserve: Reserve = "auto"): number {
  return reserve === "auto" ? Math.min(DEFAULT_RESERVE, window / 4) : Math.min(reserve, window / 2);
}

/** The settings that the agent reads. */
export interface AgentSettings {
  /** Maximum number of model calls in a turn. Calls undone by a backtrack do not count. */
  readonly maxSteps: number;
  /** How many times a failed model call is retried from the last checkpoint. */
  readonly maxRetries: number;
  /** How long tools that can change anything wait for the first workspace capture. */
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
    /** Number of tokens in the window to keep free for the reply and its results. */
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

/**
 * Returns the permission rules that the user granted on this branch of the session. Going back revokes later grants.
 */
export async function grantsOn(session: Session): Promise<readonly string[]> {
  const lines = branchOf(session.outline).flatMap(({ kind, seq }) => (mayGrant(kind) ? seq : []));
  const entries = await session.storedEntries(lines);
  return entries.flatMap((entry) =>
    mayGrant(entry.kind) && "granted" in entry ? (entry.granted ?? []) : [],
  );
}

/**
 * Checks whether entries of this kind can contain grants. A grant is logged when its call starts, or when a host asks
 * the user during a call.
 */
function mayGrant(kind: string): boolean {
  return kind === "tool-start" || kind === "host";
}

/** Prompts that the user sends while a turn is running, in order, until they are logged. */
export class PromptQueue {
  readonly #prompts: { readonly prompt: readonly Part[]; readonly onWritten: () => void }[] = [];

  /**
   * Adds a prompt. `onWritten` is called once the prompt is logged, but never for a prompt that `takeUnsent` removes.
   */
  push(prompt: readonly Part[], onWritten: () => void = () => undefined): void {
    this.#prompts.push({ prompt, onWritten });
  }

  /**
   * Passes the first prompt to `write` and removes the prompt once it is written. Returns undefined if the queue is
   * empty.
   */
  async next<Written>(write: (prompt: readonly Part[]) => Promise<Written>): Promise<Written | undefined> {
    const [first] = this.#prompts;
    if (first === undefined) return undefined;
    const written = await write(first.prompt);
    this.#prompts.shift();
    first.onWritten();
    return written;
  }

  /** Writes all prompts, including prompts that arrive in the meantime. Returns how many were written. */
  async sendEach(write: (prompt: readonly Part[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (; this.#prompts.length > 0; count += 1) await this.next(write);
    return count;
  }

  /** Removes and returns the prompts that have not been written yet. */
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

  /** The checkpoint of the current step, or 0 before the first step. */
  get lastStep(): number {
    return this.#steps.at(-1) ?? 0;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** The cost of the turn. Becomes undefined if the price of any call is unknown. */
  get cost(): number | undefined {
    return this.#cost;
  }

  beginStep(checkpoint: number): void {
    this.#steps.push(checkpoint);
  }

  /** Removes the current step. Called when a model call fails and its step is repeated from another checkpoint. */
  uncountStep(): void {
    this.#steps.pop();
  }

  /** Counts a backtrack. The steps after the checkpoint no longer count, and the step at the checkpoint is repeated. */
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
  /** The cost in US dollars, or undefined if the price is unknown. */
  readonly cost: number | undefined;
}

/** Collects the cost of sub-agents and summaries until the turn adds it to its own. */
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
  /** An interrupt aborts this controller. The controller is undefined for work that cannot be interrupted. */
  readonly stop: AbortController | undefined;
  readonly ended: Promise<void>;
}

/**
 * Ensures that a session is used for only one thing at a time: a turn, a user's command, a compaction, or a front end
 * that holds it for a journey. Other work is rejected with TURN_RUNNING. A front end that replaces its agent passes the
 * same gate to the next agent, so that nothing can start in between.
 */
export class TurnGate {
  #holder: Holder | undefined;
  readonly #listeners = new Listeners<Busy>();

  get busy(): Busy {
    return this.#holder?.busy ?? "nothing";
  }

  /** Calls the listener whenever `busy` changes. Returns a function that removes the listener. */
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
   * Interrupts the current work if possible, and resolves when that work has ended. Does not wait for work started with
   * `hold`, because that work may close the agent.
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
