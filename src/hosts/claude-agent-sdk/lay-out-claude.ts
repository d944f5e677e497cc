import { grantsOn } from "../../agent/branch/grants.ts";
import { relay } from "../../agent/relay.ts";
import type { BackgroundCommands } from "../../agent/tools/bash/background-commands.ts";
import { markVariable } from "../../agent/tools/bash/shell-environment.ts";
import { Captures } from "../../agent/turn/files/captures.ts";
import { OutsideChanges } from "../../agent/turn/files/outside-changes.ts";
import { PromptQueue } from "../../agent/turn/prompt-queue.ts";
import { Tally } from "../../agent/turn/tally.ts";
import type { AgentEvent } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { ClaudeAgentParts, ClaudeStart } from "./claude-agent-parts.ts";
import { Conversation } from "./conversation/conversation.ts";
import { hostPlacesOn } from "./conversation/host-places.ts";
import type { KnownModel } from "./conversation/known-model.ts";
import { CLAUDE_HOST } from "./conversation/standing.ts";
import type { PermitScene } from "./permissions/permit-call.ts";
import { sdkHome } from "./sdk/kept-files.ts";
import { sdkOptions } from "./sdk/options.ts";
import { logNames } from "./sdk/own-tools.ts";
import type { SdkInit, SdkResult } from "./sdk/sdk-types.ts";
import { stepOfReply } from "./turn/begin-step.ts";
import { canUseTool } from "./turn/calls/ask.ts";
import { ownServers } from "./turn/calls/backtrack-server.ts";
import { type Call, CallBook } from "./turn/calls/call-book.ts";
import type { ClaudeBench } from "./turn/claude-bench.ts";
import { turnHooks } from "./turn/hooks.ts";
import { hear } from "./turn/recording/hear.ts";
import { onResult } from "./turn/recording/on-result.ts";
import { Recorder } from "./turn/recording/recorder.ts";
import { SubAgents } from "./turn/recording/sub-agents.ts";

/** What the agent itself has, and its parts need. */
export interface AgentHands {
  readonly tell: (event: AgentEvent) => void;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  /** Those of the SDK, by whose marks they are found when they have outlived us. */
  readonly processes: BackgroundCommands;
}

/** The model as far as the SDK has said which. */
export interface ModelNow {
  readonly name: string;
  readonly window: number;
  readonly tools: readonly string[];
}

export interface ClaudeLayout {
  readonly bench: ClaudeBench;
  readonly model: ModelNow;
  useModel(name: string): void;
  /** How the next process is started: with a mark of its own, by which it is found should it outlive us. */
  start(): ClaudeStart;
}

/** Until the SDK has said it. */
const ASSUMED_WINDOW = 200_000;
/** How long the SDK may take to say it: mostly some 40 ms. */
const WINDOW_MS = 1_000;

/** Puts everything that a turn needs in its place. */
export function layOutClaude(parts: ClaudeAgentParts, hands: AgentHands): ClaudeLayout {
  return new Layout(parts, hands);
}

/** What is known counts while the same model is asked for: the SDK's own choice, the same alias, or the model by its name. */
function sameModel(known: KnownModel | undefined, wanted: string | undefined): KnownModel | undefined {
  const isSame = known?.asked === wanted || (wanted !== undefined && known?.model === `anthropic/${wanted}`);
  return isSame ? known : undefined;
}

class Layout implements ClaudeLayout {
  readonly bench: ClaudeBench;
  readonly #parts: ClaudeAgentParts;
  readonly #hands: AgentHands;
  #wanted: string | undefined;
  #isWindowKnown: boolean;
  #isWindowUntold = false;
  #model: ModelNow;
  /** As the SDK has said, now or in an earlier process. */
  #known: KnownModel | undefined;
  /** The window that a process has said, before it says which model has it. */
  #learnt: number | undefined;

  constructor(parts: ClaudeAgentParts, hands: AgentHands) {
    this.#parts = parts;
    this.#hands = hands;
    this.#wanted = parts.start.model;
    this.#known = sameModel(parts.known, this.#wanted);
    const asked = this.#wanted === undefined ? "claude" : `anthropic/${this.#wanted}`;
    const name = this.#known?.model ?? asked;
    const window = parts.start.window ?? this.#known?.window ?? ASSUMED_WINDOW;
    this.#isWindowKnown = parts.start.window !== undefined;
    this.#model = { name, window, tools: [] };
    parts.session.useWindow(window);
    this.bench = this.#layOut();
    parts.session.on(relay(hands.tell));
  }

  get model(): ModelNow {
    return this.#model;
  }

  useModel(name: string): void {
    this.#wanted = name;
    this.#known = undefined;
    this.#learnt = undefined;
    this.#isWindowKnown = this.#parts.start.window !== undefined;
    this.#setModel({ ...this.#model, name: `anthropic/${name}` });
  }

  #layOut(): ClaudeBench {
    const { session, files, clock, settings, person, rules, sdk, openSubSession } = this.#parts;
    const { tell, mode, setMode, processes } = this.#hands;
    const calls = new CallBook();
    const outside = new OutsideChanges();
    const now = {
      tally: new Tally(),
      signal: new AbortController().signal,
      step: "none",
      turn: "none",
    } as const;
    const captured = files === undefined ? {} : { files };
    const captures = new Captures({
      session,
      ...captured,
      clock,
      firstWaitMs: settings.firstWaitMs,
      tell,
    });
    const conversation = new Conversation({
      sdk,
      session,
      clock,
      options: () => this.#options(),
      model: () => this.#known,
      hear: async (message) =>
        hear(this.bench, message, {
          init: (init) => this.#initialised(init),
          counted: (result) => this.#counted(result),
        }),
    });
    const shared = {
      session,
      calls,
      tell,
      logName: logNames(session.header.backtrack),
      isStopped: () => this.bench.now.signal.aborted,
      onResult: async (call: Call) => onResult(this.bench, call),
    };
    return {
      ...{ session, clock, settings, person, rules, ...captured },
      workspace: session.header.workspace,
      conversation,
      permits: this.#permits(),
      calls,
      recorder: new Recorder({
        ...shared,
        placed: (message) => conversation.placed(message),
        onReply: async () => stepOfReply(this.bench),
        onWritten: () => {
          this.bench.now.step = "none";
        },
        stepsWith: "hooks",
      }),
      subAgents: new SubAgents({ ...shared, openSubSession }),
      captures,
      outside,
      tell,
      mode,
      setMode,
      model: () => this.#model.name,
      learnWindow: async () => this.#learnWindow(),
      endOrphans: async () => void (await processes.endLeftovers()),
      queue: new PromptQueue(),
      now,
    };
  }

  start(): ClaudeStart {
    const { start } = this.#parts;
    const mark = markVariable(start.env, this.#hands.processes.nextMark());
    return { ...start, env: { ...start.env, ...mark } };
  }

  #options(): ReturnType<typeof sdkOptions> {
    const { session, sdk } = this.#parts;
    return sdkOptions({
      start: this.start(),
      workspace: session.header.workspace,
      mode: this.#hands.mode(),
      model: this.#wanted,
      backtrack: session.header.backtrack,
      framing: session.header,
      hooks: turnHooks(this.bench),
      canUseTool: canUseTool(this.bench),
      mcpServers: ownServers(sdk, this.bench),
    });
  }

  #permits(): PermitScene {
    const { session, rules, person, outputs, start } = this.#parts;
    return {
      workspace: session.header.workspace,
      rules,
      mode: this.#hands.mode,
      grants: async () => grantsOn(session),
      person,
      outputs,
      sdkHome: sdkHome(start.env),
      hostSessions: async () => this.#hostSessions(),
      plans: new Set(),
      onAsk: (call) => this.#hands.tell({ type: "doing", doing: { what: "asking", call } }),
    };
  }

  async #hostSessions(): Promise<readonly string[]> {
    const { live } = this.bench.conversation;
    const sessions = new Set(live === undefined ? [] : [live.hostSession]);
    for await (const { hostSession } of hostPlacesOn(this.#parts.session, CLAUDE_HOST))
      sessions.add(hostSession);
    return [...sessions];
  }

  #initialised({ session_id: session, model, tools }: SdkInit): void {
    const { live } = this.bench.conversation;
    if (live !== undefined) live.hostSession = session;
    const name = `anthropic/${model}`;
    const isTold = name === this.#model.name && !this.#isWindowUntold;
    this.#isWindowUntold = false;
    this.#model = { ...this.#model, name, tools };
    this.#noteModel(this.#learnt ?? (this.#known?.model === name ? this.#known.window : undefined));
    if (!isTold) this.#setModel(this.#model);
  }

  /** Before anything is filled: how full the context is stands in every checkpoint. A process that does not say is not waited for. */
  async #learnWindow(): Promise<void> {
    const { live } = this.bench.conversation;
    if (live === undefined || this.#isWindowKnown) return;
    this.#isWindowKnown = true;
    const asked = live.query.getContextUsage({ detail: "summary" }).catch(() => undefined);
    const answer = await Promise.race([asked, this.#parts.clock.wait(WINDOW_MS).then(() => undefined)]);
    const window = answer?.rawMaxTokens ?? 0;
    // Which model it is of is said right after it.
    if (window > 0) this.#learnt = window;
    if (window <= 0 || window === this.#model.window) return;
    // Told with the model's name, which comes right behind it.
    this.#model = { ...this.#model, window };
    this.#parts.session.useWindow(window);
    this.#isWindowUntold = true;
  }

  #counted({ modelUsage = {} }: SdkResult): void {
    if (this.#parts.start.window !== undefined) return;
    const window = modelUsage[this.#model.name.replace(/^anthropic\//u, "")]?.contextWindow;
    if (window === undefined || window <= 0) return;
    this.#noteModel(window);
    if (window !== this.#model.window) this.#setModel({ ...this.#model, window });
  }

  /** What the setting says of the window is not written down: it counts as long as it is set. */
  #noteModel(window: number | undefined): void {
    this.#known = {
      model: this.#model.name,
      ...(this.#wanted === undefined ? {} : { asked: this.#wanted }),
      ...(window === undefined ? {} : { window }),
    };
  }

  #setModel(model: ModelNow): void {
    this.#model = model;
    this.#parts.session.useWindow(model.window);
    this.#hands.tell({ type: "model", model: model.name, window: model.window });
  }
}
