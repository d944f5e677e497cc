import type { AgentRequest } from "./app/agent/agent-request.ts";
import { type App, type AppExtras, openApp } from "./app/app.ts";
import type { CheckpointRow } from "./app/checkpoints/checkpoint-rows.ts";
import { type AppContext, chosenStore, openContext, RunStores } from "./app/context.ts";
import type { JourneyMade, JourneyPreview, RedoRow } from "./app/journeys/journey-types.ts";
import type { Notice } from "./app/notices.ts";
import type { Environment } from "./app/places/home.ts";
import { knownWorkspaces } from "./app/sessions/store.ts";
import type { Agent } from "./ports/agent.ts";
import type { AgentEvent, TurnEnd } from "./ports/agent-events.ts";
import type {
  PermissionAnswer,
  PermissionMode,
  PermissionRequest,
  Person,
  PlanAnswer,
  Question,
} from "./ports/person.ts";
import type { Choice, Scope } from "./record/entry.ts";
import { type ErrorParams, isWorldlineError, WorldlineError } from "./record/error.ts";
import type { EntryId, SessionId } from "./record/ids.ts";
import { checkOptions, type OptionsOf, option } from "./record/options.ts";
import type { Part } from "./record/parts.ts";
import { noticeTexts } from "./show/notice-text.ts";
import { patchOf } from "./show/patch.ts";
import { en } from "./strings/en.ts";
import { atAShell, wordingIn } from "./strings/wording.ts";

type Answer<Value> = Value | Promise<Value>;

export interface OpenAgentOptions {
  /** The folder in which the agent works; by default the current one, or the nearest one above it with a session or a `.git`. */
  readonly workspace?: string;
  /** "new" (the default), "latest" in this workspace, or an id, the beginning of one, or a title. */
  readonly resume?: string;
  /** "provider/name"; by default what the settings and the keys in the environment select. */
  readonly model?: string;
  /** "native" (the default), or "claude" for the Claude Agent SDK, which has to be installed. */
  readonly host?: "native" | "claude";
  /** By default the mode in the settings, which is "manual" unless changed: everything that changes something asks first. */
  readonly mode?: PermissionMode;
  /** Permission rules, such as `Bash(npm test:*)`, in addition to those in the settings. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Ends a turn after that many model calls. */
  readonly maxSteps?: number;
  /** Settings for this agent only, by name: `{ "compaction.keep": "4" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where Worldline stores sessions and files; by default WORLDLINE_HOME, or `.worldline` in the home folder. */
  readonly home?: string;
  /** A different place for sessions: `sqlite:path` or `postgres://user@host/database`. */
  readonly store?: string;
  /** Keys and other variables; by default those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;

  /** Answers the agent's permission requests. Without it, they are all declined. */
  readonly permission?: (request: PermissionRequest, signal: AbortSignal) => Answer<PermissionAnswer>;
  /** Answers the agent's own questions, in their order. Without it, they stay unanswered. */
  readonly question?: (
    questions: readonly Question[],
    signal: AbortSignal,
  ) => Answer<readonly string[] | undefined>;
  /** Approves a plan that was made in mode "plan". Without it, plans are declined. */
  readonly plan?: (plan: string, signal: AbortSignal) => Answer<PlanAnswer>;

  /** Called with every event as it happens; see docs/guide/events.md. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Called with what else the user should know: ignored settings, files that are not captured. */
  readonly onNotice?: (notice: AgentNotice) => void;
  /** Aborting it interrupts the agent; what was done until then is kept. */
  readonly signal?: AbortSignal;
}

/** Something that the user should know, in English; `code` identifies it for programs. */
export interface AgentNotice {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** An agent that works on a session and can go back in it. */
export interface OpenedAgent {
  /** Changes if `rewind` leads to a checkpoint of another session. */
  readonly session: SessionId;
  readonly workspace: string;
  /** "provider/name". */
  readonly model: string;
  readonly mode: PermissionMode;
  /** The current work on the session; only one kind of work can run at a time. */
  readonly busy: Agent["busy"];

  /** Resolves when the agent has answered, was interrupted, or failed; `outcome` says which. */
  prompt(content: string | readonly Part[], options?: PromptOptions): Promise<TurnEnd>;
  /** Adds to the request of the running turn; the agent reads it after its current step. */
  queue(content: string | readonly Part[]): void;
  interrupt(): Promise<void>;
  compact(focus?: string): ReturnType<Agent["compact"]>;
  setMode(mode: PermissionMode): void;
  setModel(name: string): Promise<void>;
  /** Subscribes to events from now on; the returned function unsubscribes. */
  on(listener: (event: AgentEvent) => void): () => void;

  /** The checkpoints of the workspace, including steps: those of this session first, newest first. */
  checkpoints(): Promise<readonly CheckpointRow[]>;
  /** Creates a checkpoint here; resolves with its number. */
  checkpoint(label?: string): Promise<number>;
  /** What `rewind` would do. */
  previewRewind(to: number | CheckpointPlace, options?: RewindOptions): Promise<JourneyPreview>;
  /**
   * Goes back. Nothing is lost: `redo` undoes the rewind. Files that were also changed outside the agent's work stay as they
   * are, unless `choices` names them. Rejects with NEEDS_YES if more files would be deleted than `rewind.confirmDeletes`
   * allows.
   */
  rewind(to: number | CheckpointPlace, options?: RewindOptions): Promise<JourneyMade>;
  /** The journeys that `redo` can undo, newest first. */
  journeys(): Promise<readonly RedoRow[]>;
  previewRedo(options?: RedoOptions): Promise<JourneyPreview>;
  /** Undoes the given rewind or backtrack, or the latest one if no new work came after it. */
  redo(options?: RedoOptions): Promise<JourneyMade>;
  /** A unified diff of the workspace between a checkpoint and another one, or the present. */
  diff(from: number, to?: number): Promise<string>;

  /** Ends everything that the agent started, and releases the session. */
  close(): Promise<void>;
}

export interface PromptOptions {
  /** Aborting it interrupts this turn. */
  readonly signal?: AbortSignal;
}

/** A checkpoint of another session in the workspace. */
export interface CheckpointPlace {
  readonly session: SessionId;
  readonly number: number;
}

interface FileOptions {
  /** By path: what to do with files that were also changed outside the agent's work. By default they are kept. */
  readonly choices?: Readonly<Record<string, Choice>>;
  /** Allows more deletions than `rewind.confirmDeletes`. */
  readonly confirmDeletions?: boolean;
}

export interface RewindOptions extends FileOptions {
  /** "both" by default: the conversation and the files. */
  readonly scope?: Scope;
}

export interface RedoOptions extends FileOptions {
  readonly journey?: EntryId;
  /** By default what the journey took along. */
  readonly scope?: Scope;
}

const agentOptions: OptionsOf<OpenAgentOptions> = {
  call: "openAgent",
  kinds: {
    workspace: option.path,
    resume: option.text,
    model: option.text,
    host: option.oneOf("native", "claude"),
    mode: option.oneOf("manual", "accept-edits", "plan", "auto"),
    allow: option.listOf(option.text),
    deny: option.listOf(option.text),
    maxSteps: option.amount,
    settings: option.object,
    home: option.path,
    store: option.text,
    environment: option.object,
    permission: option.callback,
    question: option.callback,
    plan: option.callback,
    onEvent: option.callback,
    onNotice: option.callback,
    signal: option.signal,
  },
};

/**
 * Opens an agent in a folder. It holds its session until `close`. Rejects with NO_MODEL if neither `model` nor the settings
 * select a model and no key is found.
 */
export async function openAgent(options: OpenAgentOptions = {}): Promise<OpenedAgent> {
  checkOptions(options, agentOptions);
  options.signal?.throwIfAborted();
  const stores = new RunStores();
  const context = contextOf(options, stores);
  const app = await openApp(context, {
    request: requestOf(options),
    person: personOf(options),
    extras: noExtras,
  }).catch(async (error: unknown) => {
    await stores.close();
    throw forProgram(error);
  });
  return new AppAgent(app, stores, options);
}

/** A program sets a variable or passes an option, where a user would be told to run a command. */
function forProgram(error: unknown): unknown {
  if (!isWorldlineError(error) || error.reason !== "no-model") return error;
  return new WorldlineError("no-model-for-program", error.params as ErrorParams<"no-model">, {
    cause: error,
  });
}

/** Builds, from the program's options, the context that a terminal or the command line would pass to the use cases. */
function contextOf(options: OpenAgentOptions, stores: RunStores): AppContext {
  const { home, store, workspace, settings = {} } = options;
  const environment: Environment = {
    ...(options.environment ?? process.env),
    ...(home === undefined ? {} : { WORLDLINE_HOME: home }),
  };
  const cwd = () => process.cwd();
  return openContext({
    common: {
      session: undefined,
      workspace,
      store: chosenStore(store, { environment, cwd }),
      trust: false,
      setting: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      takeOver: "no",
    },
    surroundings: {
      environment,
      cwd,
      cancelled: options.signal ?? new AbortController().signal,
      // Signals to this process belong to the program, so `signal` replaces them.
      onInterrupt: (listener) => {
        const interrupt = () => listener("SIGINT");
        options.signal?.addEventListener("abort", interrupt);
        return () => options.signal?.removeEventListener("abort", interrupt);
      },
      knownWorkspaces,
      stores,
    },
    listener: {
      report: (notice) => report(notice, options),
      progress: () => undefined,
      atEnd: () => undefined,
    },
  });
}

function report(notice: Notice, { onNotice }: Pick<OpenAgentOptions, "onNotice">): void {
  if (onNotice === undefined) return;
  const wording = wordingIn(en.reasons, atAShell);
  const words = { strings: en, message: wording.message, hint: wording.hint, command: wording.command };
  for (const { text, hint } of noticeTexts(notice, words)) {
    onNotice({ code: notice.code, message: text, ...(hint === undefined ? {} : { hint }) });
  }
}

function requestOf(options: OpenAgentOptions): AgentRequest {
  const { resume = "new", model, mode, host, maxSteps, allow = [], deny = [] } = options;
  return {
    model,
    mode,
    host,
    maxSteps,
    allow,
    deny,
    resume:
      resume === "new"
        ? { how: "new" }
        : resume === "latest"
          ? { how: "continue" }
          : { how: "resume", wanted: resume },
    fork: "no",
    keepSession: "yes",
    withoutModel: "refuse",
  };
}

/** For features that only a screen offers. */
const noExtras: AppExtras = {
  ask: async (_, words) => {
    throw new WorldlineError("command-not-here", { words: words.join(" ") });
  },
  findInSample: async () => undefined,
  makeSample: async () => undefined,
};

const DECLINED = "The program that runs this agent declined.";

function personOf({ permission, question, plan }: OpenAgentOptions): Person {
  return {
    allow: async (request, signal) =>
      (await permission?.(request, signal)) ?? { answer: "no", reason: DECLINED },
    answer: async (questions, signal) => question?.(questions, signal),
    approve: async (text, signal) => (await plan?.(text, signal)) ?? { answer: "no", reason: DECLINED },
  };
}

class AppAgent implements OpenedAgent {
  readonly #app: App;
  readonly #stores: RunStores;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Unsubscribes from the current agent. */
  #stopListening: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(app: App, stores: RunStores, options: OpenAgentOptions) {
    const { onEvent, signal } = options;
    this.#app = app;
    this.#stores = stores;
    if (onEvent !== undefined) this.#listeners.add(onEvent);
    for (const notice of app.warnings) report(notice, options);
    app.on((event) => {
      if (event.type === "notice") report(event.notice, options);
      if (event.type === "replaced") this.#listen();
    });
    this.#listen();
    signal?.addEventListener("abort", () => void this.interrupt(), { once: true });
  }

  #listen(): void {
    this.#stopListening();
    this.#stopListening = this.#app.agent.on((event) => {
      for (const listener of this.#listeners) listener(event);
    });
  }

  get session(): SessionId {
    return this.#app.agent.session;
  }

  get workspace(): string {
    return this.#app.agent.workspace;
  }

  get model(): string {
    return this.#app.agent.model;
  }

  get mode(): PermissionMode {
    return this.#app.agent.mode;
  }

  get busy(): Agent["busy"] {
    return this.#app.agent.busy;
  }

  async prompt(content: string | readonly Part[], { signal }: PromptOptions = {}): Promise<TurnEnd> {
    signal?.throwIfAborted();
    const interrupt = () => void this.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      return await this.#app.agent.prompt(content);
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  queue(content: string | readonly Part[]): void {
    this.#app.agent.queue(content);
  }

  async interrupt(): Promise<void> {
    await this.#app.agent.interrupt();
  }

  async compact(focus?: string): ReturnType<Agent["compact"]> {
    return this.#app.agent.compact(focus);
  }

  setMode(mode: PermissionMode): void {
    if (mode === "auto") this.#app.auto.confirm();
    this.#app.agent.setMode(mode);
  }

  async setModel(name: string): Promise<void> {
    await this.#app.agent.setModel(name);
  }

  on(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async checkpoints(): Promise<readonly CheckpointRow[]> {
    return this.#app.journeys.rows();
  }

  async checkpoint(label?: string): Promise<number> {
    return this.#app.journeys.save(label);
  }

  async previewRewind(to: number | CheckpointPlace, options: RewindOptions = {}): Promise<JourneyPreview> {
    return this.#app.journeys.preview(this.#rewindRequest(to, options));
  }

  async rewind(to: number | CheckpointPlace, options: RewindOptions = {}): Promise<JourneyMade> {
    const request = this.#rewindRequest(to, options);
    requireConsent(await this.#app.journeys.preview(request), options.confirmDeletions);
    return this.#app.journeys.rewind(request);
  }

  #rewindRequest(to: number | CheckpointPlace, { scope = "both", choices }: RewindOptions) {
    const place = typeof to === "number" ? { session: this.session, number: to } : to;
    return { ...place, scope, ...choicesOf(choices) };
  }

  async journeys(): Promise<readonly RedoRow[]> {
    return this.#app.journeys.redoable();
  }

  async previewRedo({ choices, ...request }: RedoOptions = {}): Promise<JourneyPreview> {
    return this.#app.journeys.previewRedo({ ...request, ...choicesOf(choices) });
  }

  async redo({ choices, confirmDeletions, ...request }: RedoOptions = {}): Promise<JourneyMade> {
    const wanted = { ...request, ...choicesOf(choices) };
    requireConsent(await this.#app.journeys.previewRedo(wanted), confirmDeletions);
    return this.#app.journeys.redo(wanted);
  }

  async diff(from: number, to?: number): Promise<string> {
    const { changes, files } = await this.#app.queries.diff(to === undefined ? { from } : { from, to });
    let text = "";
    for await (const piece of patchOf(changes, files, en)) text += piece;
    return text;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#app.agent.interrupt();
      await this.#app.close();
    } finally {
      this.#stopListening();
      await this.#stores.close();
    }
  }
}

function choicesOf(choices: FileOptions["choices"]) {
  return choices === undefined ? {} : { choices: new Map(Object.entries(choices)) };
}

function requireConsent({ files }: JourneyPreview, confirmed: boolean | undefined): void {
  if (files?.consent !== "needed" || confirmed === true) return;
  throw new WorldlineError("deletions-unconfirmed", { deletions: files.deletions });
}
