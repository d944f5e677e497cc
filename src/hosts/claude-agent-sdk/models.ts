import type { AgentContext } from "../../agent/agent-context.ts";
import type { SessionView } from "../../machine/view.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { CLAUDE_HOST } from "./conversation/position.ts";
import type { ClaudeAgentOptions } from "./options.ts";
import { failureOfThrown } from "./sdk/failures.ts";
import { PromptStream } from "./sdk/process.ts";
import type { SdkInit, SdkModel, SdkQuery, SdkResult } from "./sdk/sdk-types.ts";

/** A model offered by the SDK. */
export interface ClaudeModel {
  readonly name: string;
  readonly description: string;
  /** The model that this name currently refers to. */
  readonly resolved?: string | undefined;
}

/** Asks the running process for the models, or starts a process just to ask. */
export async function modelsOf(
  options: Pick<ClaudeAgentOptions, "sdk" | "start" | "session">,
  live: SdkQuery | undefined,
): Promise<readonly ClaudeModel[]> {
  if (live !== undefined) return (await live.supportedModels()).map(modelOf);
  const input = new PromptStream();
  const { env, settingSources } = options.start;
  const cwd = options.session.header.workspace;
  const query = options.sdk.query({
    prompt: input,
    options: { cwd, env, settingSources, persistSession: false },
  });
  try {
    return (await query.supportedModels()).map(modelOf);
  } catch (error) {
    throw failureOfThrown(error, "");
  } finally {
    input.end();
    query.close();
  }
}

function modelOf({ value, description, resolvedModel }: SdkModel): ClaudeModel {
  return { name: value, description, resolved: resolvedModel };
}

/**
 * Returns the SDK's own name for the model. Accepts full names that are not in the SDK's list, for new models and
 * gateways.
 */
export function requireModel(wanted: string, models: readonly ClaudeModel[]): string {
  const name = wanted.replace(/^(?:anthropic|claude)\//u, "");
  const known = models.find((model) => model.name === name || model.resolved === name);
  if (known !== undefined || /^claude-|[.:/]/u.test(name)) return name;
  throw new WorldlineError("claude-model-unknown", {
    model: wanted,
    offered: models.map((model) => model.name),
  });
}

/** The model that answered last, as the SDK reported it: its name, the name that was requested, and its window. */
export type KnownModel = Required<Pick<EntryOf<"host">, "model">> & Pick<EntryOf<"host">, "asked" | "window">;

/**
 * Maximum number of `host` entries to search. Every entry since the SDK's first answer names the model, but the last
 * ones may be prompts that were never answered.
 */
const MAX_ENTRIES = 32;

/**
 * Returns the model that the log names, on any branch. Returns undefined if the SDK has not answered yet, and for older
 * logs.
 */
export async function knownModel(view: SessionView): Promise<KnownModel | undefined> {
  const lines = view.outline.linesOf("host").slice(-MAX_ENTRIES);
  for (const entry of (await view.storedEntries(lines)).toReversed()) {
    if (entry.kind !== "host" || entry.host !== CLAUDE_HOST || entry.model === undefined) continue;
    const { model, asked, window } = entry;
    return { model, ...(asked === undefined ? {} : { asked }), ...(window === undefined ? {} : { window }) };
  }
  return undefined;
}

interface ModelInfo {
  readonly name: string;
  readonly window: number;
  readonly tools: readonly string[];
}

/** The window size assumed until the SDK has reported the actual size. */
const ASSUMED_WINDOW = 200_000;
/** How long the SDK may take to report the window. The SDK usually takes about 40 ms. */
const WINDOW_MS = 1_000;

/** What the SDK has reported about the model that answers: its name and its window. */
export class CurrentModel {
  readonly #options: ClaudeAgentOptions;
  readonly #emit: AgentContext["emit"];
  #wanted: string | undefined;
  #isWindowKnown: boolean;
  #isWindowUntold = false;
  #now: ModelInfo;
  /** The model as the SDK reported it, in this or an earlier process. */
  #known: KnownModel | undefined;
  /** The window that a process reported before it reported its model. */
  #learnt: number | undefined;

  constructor(options: ClaudeAgentOptions, emit: AgentContext["emit"]) {
    const { start } = options;
    this.#options = options;
    this.#emit = emit;
    this.#wanted = start.model;
    this.#known = sameModel(options.known, this.#wanted);
    const asked = this.#wanted === undefined ? "claude" : `anthropic/${this.#wanted}`;
    const window = start.window ?? this.#known?.window ?? ASSUMED_WINDOW;
    this.#isWindowKnown = start.window !== undefined;
    this.#now = { name: this.#known?.model ?? asked, window, tools: [] };
    options.session.useWindow(window);
  }

  get now(): ModelInfo {
    return this.#now;
  }

  /** The name to request from the SDK, or undefined to let the SDK choose. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  get known(): KnownModel | undefined {
    return this.#known;
  }

  use(name: string): void {
    this.#wanted = name;
    this.#known = undefined;
    this.#learnt = undefined;
    this.#isWindowKnown = this.#options.start.window !== undefined;
    this.#set({ ...this.#now, name: `anthropic/${name}` });
  }

  /** Stores the model that a process has reported. */
  initialised({ model, tools }: SdkInit): void {
    const name = `anthropic/${model}`;
    const isTold = name === this.#now.name && !this.#isWindowUntold;
    this.#isWindowUntold = false;
    this.#now = { ...this.#now, name, tools };
    this.#note(this.#learnt ?? (this.#known?.model === name ? this.#known.window : undefined));
    if (!isTold) this.#set(this.#now);
  }

  /**
   * Asks the process for the size of the window. Called before the first step, because every checkpoint records how
   * full the context is. The wait is limited in case the process does not answer.
   */
  async learnWindow(live: SdkQuery | undefined): Promise<void> {
    if (live === undefined || this.#isWindowKnown) return;
    const { clock, session } = this.#options;
    this.#isWindowKnown = true;
    const asked = live.getContextUsage({ detail: "summary" }).catch(() => undefined);
    const answer = await Promise.race([asked, clock.wait(WINDOW_MS).then(() => undefined)]);
    const window = answer?.rawMaxTokens ?? 0;
    // The process will report its model right after this answer.
    if (window > 0) this.#learnt = window;
    if (window <= 0 || window === this.#now.window) return;
    // The event will be emitted with the model's name, which the process reports right after this answer.
    this.#now = { ...this.#now, window };
    session.useWindow(window);
    this.#isWindowUntold = true;
  }

  counted({ modelUsage = {} }: SdkResult): void {
    if (this.#options.start.window !== undefined) return;
    const window = modelUsage[this.#now.name.replace(/^anthropic\//u, "")]?.contextWindow;
    if (window === undefined || window <= 0) return;
    this.#note(window);
    if (window !== this.#now.window) this.#set({ ...this.#now, window });
  }

  /**
   * Stores what is known about the model. A window from the settings is not stored, because it applies only while it is
   * set.
   */
  #note(window: number | undefined): void {
    this.#known = {
      model: this.#now.name,
      ...(this.#wanted === undefined ? {} : { asked: this.#wanted }),
      ...(window === undefined ? {} : { window }),
    };
  }

  #set(model: ModelInfo): void {
    this.#now = model;
    this.#options.session.useWindow(model.window);
    this.#emit({ type: "model", model: model.name, window: model.window });
  }
}

/**
 * Returns the last reported model if the current request is for the same model. The request may use the same alias or
 * the model's full name, or leave the choice to the SDK.
 */
function sameModel(known: KnownModel | undefined, wanted: string | undefined): KnownModel | undefined {
  const isSame = known?.asked === wanted || (wanted !== undefined && known?.model === `anthropic/${wanted}`);
  return isSame ? known : undefined;
}
