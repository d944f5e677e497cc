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
import type { BackgroundCommands } from "./tools/bash/bash.ts";
import type { KeepOutput } from "./tools/bash/kept-output.ts";
import type { ShellContext } from "./tools/bash/run-shell.ts";
import { Captures } from "./turn/files/captures.ts";
import { OutsideChanges } from "./turn/files/running-calls.ts";

/** Makes the log of a sub-agent, beside that of the session it works for. */
export type OpenSubSession = (wanted: { readonly system: string; readonly task: TaskOf }) => Promise<Session>;

/** What every agent is opened with, whichever host answers. */
export interface AgentOptions {
  /** Held; the agent closes it. */
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly mode: PermissionMode;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  /** The files of the workspace, where the session has them. The caller closes them. */
  readonly files?: WorkspaceFiles | undefined;
  /** Of commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that hold keys of providers from the settings; commands do not get them. */
  readonly secretVariables: readonly string[];
  /** Keeps the whole output of a command that is too long for the model, in `outputs`; returns where. */
  readonly keepOutput: KeepOutput;
  /** The real path of a folder. */
  readonly outputs: string;
  readonly openSubSession: OpenSubSession;
  /** Shared by all agents of one front end; by default the agent has one of its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws where the user may not enter that mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

type Shared = "session" | "person" | "rules" | "settings" | "clock" | "files" | "outputs";

/** Everything that the turns of an agent work with, whichever host answers; the same object for all turns. */
export interface AgentContext extends Pick<AgentOptions, Shared> {
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly emit: (event: AgentEvent) => void;
  /** What commands run with. */
  readonly shell: ShellContext;
  readonly captures: Captures;
  /** Files that tools changed where no snapshot looks. */
  readonly outside: OutsideChanges;
  readonly queue: PromptQueue;
  /** What sub-agents and summaries cost, until the turn adds it up. */
  readonly spending: Spending;
  /** The permission rules that the user gave for this session. */
  readonly grants: () => Promise<readonly string[]>;
}

interface ContextOptions extends Pick<AgentContext, "mode" | "setMode" | "emit"> {
  readonly background: BackgroundCommands;
  /** By default those on the session's own branch. */
  readonly grants?: AgentContext["grants"] | undefined;
  /** Of a sub-agent: the captures of the session that it works for, which has the files. */
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

/** Room for the reply and for the results of its calls. Never more than half of the window: a compaction could not free it. */
export function reserveOf(window: number, reserve: Reserve = "auto"): number {
  return reserve === "auto" ? Math.min(DEFAULT_RESERVE, window / 4) : Math.min(reserve, window / 2);
}

/** What the agent needs to know of the settings. */
export interface AgentSettings {
  /** How many model calls a turn may make; those that a backtrack took back do not count. */
  readonly maxSteps: number;
  /** How often a model call that failed is tried again from the last checkpoint. */
  readonly maxRetries: number;
  /** How long tools of unknown reach wait for the first capture of the workspace. */
  readonly firstWaitMs: number;
  readonly backtrack: {
    /** What the user sees of a backtrack. */
    readonly display: "card" | "line" | "off";
    /** Whether the model may tell the user that it went back. */
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

/** The permission rules that the person gave "for this session" on this branch: going back takes them back. */
export async function grantsOn(session: Session): Promise<readonly string[]> {
  const lines = branchOf(session.outline).flatMap(({ kind, seq }) => (mayGrant(kind) ? seq : []));
  const entries = await session.storedEntries(lines);
  return entries.flatMap((entry) =>
    mayGrant(entry.kind) && "granted" in entry ? (entry.granted ?? []) : [],
  );
}

/** It is given with a call, or when another agent asks by itself about one that has begun. */
function mayGrant(kind: string): boolean {
  return kind === "tool-start" || kind === "host";
}

/** What the user says while a turn runs, in order, until it is on the log. */
export class PromptQueue {
  readonly #prompts: (readonly Part[])[] = [];

  push(prompt: readonly Part[]): void {
    this.#prompts.push(prompt);
  }

  /** Has the first one written; it leaves the queue when it is. Undefined where there is none. */
  async next<Written>(write: (prompt: readonly Part[]) => Promise<Written>): Promise<Written | undefined> {
    const [first] = this.#prompts;
    if (first === undefined) return undefined;
    const written = await write(first);
    this.#prompts.shift();
    return written;
  }

  /** Has all of them written, those that come meanwhile included; returns how many that were. */
  async all(write: (prompt: readonly Part[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (; this.#prompts.length > 0; count += 1) await this.next(write);
    return count;
  }

  /** Takes out what nobody came to hear. */
  takeUnsent(): readonly (readonly Part[])[] {
    return this.#prompts.splice(0);
  }
}

/** What a turn has done and used so far. */
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

  /** The checkpoint of the step that is being made; 0 before the first. */
  get lastStep(): number {
    return this.#steps.at(-1) ?? 0;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Undefined as soon as one call of it had no known price. */
  get cost(): number | undefined {
    return this.#cost;
  }

  beginStep(checkpoint: number): void {
    this.#steps.push(checkpoint);
  }

  /** Its model call came to nothing and is made again behind another checkpoint. */
  takeBackStep(): void {
    this.#steps.pop();
  }

  /** What lies behind the checkpoint was taken back, and its own step is made again. */
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
  /** In US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** What was spent beside the steps of a turn, by sub-agents and summaries, until the turn adds it up. */
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
  /** Aborted by an interrupt; undefined for work that must come to its own end. */
  readonly stop: AbortController | undefined;
  readonly ended: Promise<void>;
}

/**
 * Lets one thing at a time work on a session: a turn, a command of the user's, a compaction, or a front end that holds the
 * session for a journey. The second to come is rejected with TURN_RUNNING. A front end that replaces its agent hands the same
 * gate to the next one, so that nothing begins while the agents change.
 */
export class TurnGate {
  #holder: Holder | undefined;
  readonly #listeners = new Listeners<Busy>();

  get busy(): Busy {
    return this.#holder?.busy ?? "nothing";
  }

  /** Calls the listener with every change of `busy`; returns how to stop that. */
  on(listener: (busy: Busy) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** For an agent: work that an interrupt ends. */
  async run<Result>(
    busy: "turn" | "command" | "compaction",
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const stop = new AbortController();
    return this.#take({ busy, stop }, async () => work(stop.signal));
  }

  /** For a front end: work that is never cut short, because files that are being restored must not stop in the middle. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#take({ busy: "held", stop: undefined }, work);
  }

  /** Interrupts what can be interrupted, and resolves when it has ended. Does not wait for `hold`, which may close the agent. */
  async interrupt(): Promise<void> {
    const holder = this.#holder;
    if (holder?.stop === undefined) return;
    holder.stop.abort();
    await holder.ended;
  }

  /** Resolves when no work of `hold` is under way. */
  async released(): Promise<void> {
    while (this.#holder?.busy === "held") await this.#holder.ended;
  }

  async #take<Result>(by: Omit<Holder, "ended">, work: () => Promise<Result>): Promise<Result> {
    if (this.#holder !== undefined) throw new WorldlineError("running-here", {});
    // Begun after the holder is set: a listener may ask for an interrupt at once.
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
