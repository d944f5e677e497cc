import type { AgentRequest } from "./app/agent/agent-request.ts";
import { headlessUser, type ProgramAnswers } from "./app/agent/headless-user.ts";
import { type App, openApp } from "./app/app.ts";
import type { CheckpointRow } from "./app/checkpoints/checkpoint-rows.ts";
import { type AppContext, chosenStore, openContext, RunStores } from "./app/context.ts";
import type { JourneyMade, JourneyPreview, OnProgress, RedoRow } from "./app/journeys/journey-types.ts";
import type { Notice } from "./app/notices.ts";
import type { Environment } from "./app/places/home.ts";
import { knownWorkspaces } from "./app/sessions/store.ts";
import type { Agent } from "./ports/agent.ts";
import type { AgentEvent, TurnEnd } from "./ports/agent-events.ts";
import type { PermissionMode } from "./ports/person.ts";
import { callReasonInEnglish } from "./record/call-reason.ts";
import type { Choice, Scope } from "./record/entry.ts";
import { type ErrorParams, isWorldlineError, WorldlineError } from "./record/error.ts";
import type { EntryId, SessionId } from "./record/ids.ts";
import { checkOptions, type OptionsOf, option } from "./record/options.ts";
import type { Part } from "./record/parts.ts";
import { noticeTexts } from "./show/notice-text.ts";
import { patchOf } from "./show/patch.ts";
import { en } from "./strings/en.ts";
import { atAShell, wordingIn } from "./strings/wording.ts";

export interface OpenAgentOptions extends ProgramAnswers {
  /**
   * The folder that the agent works in. By default, this is the nearest folder, from the current one upward, that
   * contains a session or a `.git`. If there is none, it is the current folder.
   */
  readonly workspace?: string;
  /**
   * The session to open: "new" (the default), "latest" for the latest session in this workspace, or a session's id, the
   * beginning of its id, or its title.
   */
  readonly resume?: string;
  /** The model, as "provider/name". By default, the settings and the keys in the environment select it. */
  readonly model?: string;
  /**
   * The agent that works on the session: "native" (the default) is Worldline's own agent; "claude" is the Claude Agent
   * SDK, which must be installed.
   */
  readonly host?: "native" | "claude";
  /**
   * The permission mode; by default, the mode in the settings, which is "manual" unless the user has changed it. In
   * manual mode, every call that changes something needs permission.
   */
  readonly mode?: PermissionMode;
  /** Permission rules, such as `Bash(npm test:*)`, in addition to those in the settings. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Maximum number of model calls in a turn. */
  readonly maxSteps?: number;
  /** Settings for this agent only, by name, such as `{ "compaction.keep": "4" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * The folder where Worldline stores sessions and files; by default, WORLDLINE_HOME, or `.worldline` in the home
   * folder.
   */
  readonly home?: string;
  /**
   * The address of a store for the sessions, if they should not be stored in `home`: `sqlite:path` or
   * `postgres://user@host/database`.
   */
  readonly store?: string;
  /** Environment variables, including API keys; by default, this process's variables. */
  readonly environment?: Readonly<Record<string, string | undefined>>;

  /** Called with every event as it happens; see docs/guide/events.md. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Called with other information for the user, such as ignored settings or files that are not captured. */
  readonly onNotice?: (notice: AgentNotice) => void;
  /** Aborting this signal interrupts the agent. The work that the agent has done by then is kept. */
  readonly signal?: AbortSignal;
}

/** A notice for the user. `message` and `hint` are in English. Programs identify the notice by its `code`. */
export interface AgentNotice {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** An agent that works on a session and can go back in it. */
export interface OpenedAgent {
  /** The session that the agent works on. The session changes when `rewind` goes to a checkpoint in another session. */
  readonly session: SessionId;
  readonly workspace: string;
  /** The name of the model, as "provider/name". */
  readonly model: string;
  readonly mode: PermissionMode;
  /** What the agent is doing. The agent can do only one thing at a time. */
  readonly busy: Agent["busy"];

  /**
   * Sends a prompt. Resolves when the agent answers, is interrupted, or fails. `outcome` specifies which of these
   * happened.
   */
  prompt(content: string | readonly Part[], options?: PromptOptions): Promise<TurnEnd>;
  /** Adds a prompt to the running turn. The agent reads it after its current step. */
  queue(content: string | readonly Part[]): void;
  /**
   * Continues a turn that was not completed, for example because the program was killed or the agent was interrupted.
   * "continue" (the default) continues from where the turn stopped, and "retry" repeats its last step. Rejects with the
   * reason "turn-not-cut" if the last turn is complete.
   */
  resume(how?: "continue" | "retry", options?: PromptOptions): Promise<TurnEnd>;
  interrupt(): Promise<void>;
  compact(focus?: string): ReturnType<Agent["compact"]>;
  setMode(mode: PermissionMode): void;
  setModel(name: string): Promise<void>;
  /** Subscribes to all future events. The returned function unsubscribes. */
  on(listener: (event: AgentEvent) => void): () => void;

  /**
   * Lists all checkpoints in the workspace, including steps. This session's checkpoints come first, followed by the
   * checkpoints in other sessions, newest first.
   */
  checkpoints(): Promise<readonly CheckpointRow[]>;
  /** Creates a checkpoint of the current state. Resolves with the checkpoint's number. */
  checkpoint(label?: string): Promise<number>;
  /** Previews the effect of `rewind` without performing it. */
  previewRewind(to: number | CheckpointPlace, options?: RewindOptions): Promise<JourneyPreview>;
  /**
   * Goes back to a checkpoint. Nothing is lost, because `redo` undoes the rewind. Files that were also changed outside
   * the agent's work are left unchanged, unless `choices` names them. Rejects with NEEDS_YES if the rewind would delete
   * more files than `rewind.confirmDeletes` allows.
   */
  rewind(to: number | CheckpointPlace, options?: RewindOptions): Promise<JourneyMade>;
  /** Lists the journeys that `redo` can undo, newest first. */
  journeys(): Promise<readonly RedoRow[]>;
  previewRedo(options?: RedoOptions): Promise<JourneyPreview>;
  /** Undoes the given rewind or backtrack. By default, undoes the latest one if no new work was done after it. */
  redo(options?: RedoOptions): Promise<JourneyMade>;
  /** Returns a unified diff of the workspace between two checkpoints, or between a checkpoint and the present. */
  diff(from: number, to?: number): Promise<string>;

  /** Ends every process that the agent started, and releases the session. */
  close(): Promise<void>;
}

export interface PromptOptions {
  /** Aborting this signal interrupts the turn. */
  readonly signal?: AbortSignal;
}

/** A checkpoint in any session in the workspace. */
export interface CheckpointPlace {
  readonly session: SessionId;
  readonly number: number;
}

interface FileOptions {
  /**
   * The choice for each file that was also changed outside the agent's work, by path. Files without a choice are kept.
   */
  readonly choices?: Readonly<Record<string, Choice>>;
  /** Whether to allow more deletions than the setting `rewind.confirmDeletes` does. */
  readonly confirmDeletions?: boolean;
  /** Called repeatedly while files are captured or restored, with the number of files that are done. */
  readonly onProgress?: OnProgress;
}

export interface RewindOptions extends FileOptions {
  /** What to restore; by default, "both" (the conversation and the files). */
  readonly scope?: Scope;
}

export interface RedoOptions extends FileOptions {
  readonly journey?: EntryId;
  /** What to restore; by default, whatever the journey restored. */
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

/** Opens an agent. `openAgent` in `index.ts` loads this module on demand. */
export async function openAgent(options: OpenAgentOptions = {}): Promise<OpenedAgent> {
  checkOptions(options, agentOptions);
  options.signal?.throwIfAborted();
  const stores = new RunStores();
  const context = contextOf(options, stores);
  const app = await openApp(context, {
    request: requestOf(options),
    person: headlessUser({
      answers: options,
      refuseCall: () => DECLINED,
      refusePlan: () => DECLINED,
    }),
  }).catch(async (error: unknown) => {
    await stores.close();
    throw forProgram(error);
  });
  return new AppAgent(app, stores, options);
}

/** Rewords an error for a program. A program sets a variable or passes an option where a user would run a command. */
function forProgram(error: unknown): unknown {
  if (!isWorldlineError(error) || error.reason !== "no-model") return error;
  return new WorldlineError("no-model-for-program", error.params as ErrorParams<"no-model">, {
    cause: error,
  });
}

/**
 * Builds a context from the program's options, like the one that a terminal or the command line would pass to the use
 * cases.
 */
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
      // Programs that are not type-checked may pass numbers.
      settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
      takeOver: "no",
    },
    surroundings: {
      environment,
      cwd,
      cancelled: options.signal ?? new AbortController().signal,
      // The program handles this process's signals itself, so interrupts come from `signal` instead.
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
      afterWork: () => undefined,
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
  };
}

const DECLINED = {
  reason: callReasonInEnglish({ code: "declined-by-program" }),
  because: { code: "declined-by-program" },
} as const;

class AppAgent implements OpenedAgent {
  readonly #app: App;
  readonly #stores: RunStores;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** Unsubscribes from the current agent's events. */
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

  async prompt(content: string | readonly Part[], options: PromptOptions = {}): Promise<TurnEnd> {
    return this.#turn(async () => this.#app.agent.prompt(content), options);
  }

  async resume(how: "continue" | "retry" = "continue", options: PromptOptions = {}): Promise<TurnEnd> {
    return this.#turn(async () => this.#app.agent.resume(how), options);
  }

  async #turn(begin: () => Promise<TurnEnd>, { signal }: PromptOptions): Promise<TurnEnd> {
    signal?.throwIfAborted();
    const interrupt = () => void this.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      return await begin();
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
    return this.#app.journeys.preview(this.#rewindRequest(to, options), options.onProgress);
  }

  async rewind(to: number | CheckpointPlace, options: RewindOptions = {}): Promise<JourneyMade> {
    requireConsent(await this.previewRewind(to, options), options.confirmDeletions);
    return this.#app.journeys.rewind(this.#rewindRequest(to, options), options.onProgress);
  }

  #rewindRequest(to: number | CheckpointPlace, { scope = "both", ...options }: RewindOptions) {
    const place = typeof to === "number" ? { session: this.session, number: to } : to;
    return { ...place, scope, ...choicesOf(options) };
  }

  async journeys(): Promise<readonly RedoRow[]> {
    return this.#app.journeys.redoable();
  }

  async previewRedo(options: RedoOptions = {}): Promise<JourneyPreview> {
    return this.#app.journeys.previewRedo({ ...options, ...choicesOf(options) }, options.onProgress);
  }

  async redo(options: RedoOptions = {}): Promise<JourneyMade> {
    requireConsent(await this.previewRedo(options), options.confirmDeletions);
    return this.#app.journeys.redo({ ...options, ...choicesOf(options) }, options.onProgress);
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

function choicesOf({ choices = {} }: FileOptions) {
  return { choices: new Map(Object.entries(choices)) };
}

function requireConsent({ files }: JourneyPreview, confirmed: boolean | undefined): void {
  if (files?.consent !== "needed" || confirmed === true) return;
  throw new WorldlineError("deletions-unconfirmed", { deletions: files.deletions });
}
