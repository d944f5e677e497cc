import {
  answerUnstarted,
  backToLastStep,
  type Engine,
  noteUndoneBacktrack,
  SessionAgent,
  type TurnStart,
} from "../../agent/agent.ts";
import type { AgentContext } from "../../agent/agent-context.ts";
import { Tally } from "../../agent/agent-context.ts";
import type { BackgroundCommands } from "../../agent/tools/bash/background.ts";
import { markVariable } from "../../agent/tools/bash/process-tree.ts";
import { backtrackTool } from "../../agent/tools/conversation.ts";
import type { Outcome } from "../../agent/turn/turn.ts";
import { presentAuthor } from "../../machine/files/look.ts";
import type { CompactionTold } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { Author } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { BACKTRACK_TOOL, type Part, textOf } from "../../record/parts.ts";
import { Conversation, type Utterance } from "./conversation/conversation.ts";
import { CLAUDE_HOST, hostPlacesOn } from "./conversation/position.ts";
import { type ClaudeModel, CurrentModel, modelsOf, requireModel } from "./models.ts";
import type { ClaudeAgentOptions, ClaudeStart } from "./options.ts";
import { sdkMode, sdkOptions } from "./options.ts";
import type { PermissionContext } from "./permissions/permit-call.ts";
import { logNames, sdkContent } from "./sdk/content.ts";
import { sdkHome } from "./sdk/kept-files.ts";
import { sdkProcesses } from "./sdk/process.ts";
import { applyMessage, onResult } from "./turn/apply-message.ts";
import { canUseTool } from "./turn/ask-user.ts";
import { ownServers } from "./turn/backtrack-server.ts";
import { type Call, CallBook } from "./turn/call-book.ts";
import type { ClaudeContext } from "./turn/claude-context.ts";
import { compactConversation } from "./turn/compaction.ts";
import { turnHooks } from "./turn/hooks.ts";
import { Recorder } from "./turn/recorder.ts";
import { SubAgents } from "./turn/sub-agents.ts";
import { runClaudeTurn, stepOfReply } from "./turn/turn.ts";

const CONTINUE = "The turn was stopped before it was finished. Continue where it left off.";

/** Claude Code commands that would switch to another conversation. Only Worldline's timeline may do that. */
const LEAVING_COMMANDS =
  /^\s*\/(?<command>clear|reset|new|resume|continue|rewind|checkpoint|undo|branch|fork|exit|quit)(?:\s|$)/u;

/** The Claude Agent SDK's agent, working on a Worldline session. */
export class ClaudeAgent extends SessionAgent<ClaudeEngine> {
  constructor(options: ClaudeAgentOptions) {
    super(options, (context) => new ClaudeEngine(options, context));
  }

  /**
   * Returns the models that the SDK offers. This method is not part of the port, because only the SDK has such a list.
   */
  async models(): Promise<readonly ClaudeModel[]> {
    return this.engine.models();
  }
}

/** Runs turns in Claude Code's processes, and writes what the processes report into Worldline's log. */
class ClaudeEngine implements Engine {
  readonly host = CLAUDE_HOST;
  readonly #options: ClaudeAgentOptions;
  readonly #context: ClaudeContext;
  readonly #model: CurrentModel;
  /** The SDK's processes, which can be found by their marks if they outlive this program. */
  readonly #processes: BackgroundCommands;
  /**
   * Resolves once processes left running by a killed run have been ended. The value is the name of the SDK's program,
   * or undefined if there were no such processes.
   */
  readonly #left: Promise<string | undefined>;

  constructor(options: ClaudeAgentOptions, context: AgentContext) {
    this.#options = options;
    this.#processes = sdkProcesses(options.session.id);
    this.#left = this.#endProcesses();
    this.#model = new CurrentModel(options, context.emit);
    this.#context = this.#createContext(context);
  }

  get model(): Engine["model"] {
    return this.#model.now;
  }

  checkPrompt(prompt: readonly Part[]): void {
    const command = LEAVING_COMMANDS.exec(textOf(prompt))?.groups?.["command"];
    if (command === undefined) return;
    throw new WorldlineError("command-leaves", { command });
  }

  async endLeftovers(): Promise<string | undefined> {
    return this.#left;
  }

  /**
   * Returns who has changed files since the last turn. If a crash or a full disk cut a turn short, the changes made by
   * its tools have not been captured yet, and must not count as the user's.
   */
  async settle(): Promise<Author> {
    const { session, settings, mode } = this.#context;
    const author = await presentAuthor(session, {});
    const backtrack = backtrackTool({ session, manner: settings.backtrack, mode });
    await answerUnstarted({ session, tools: new Map([[BACKTRACK_TOOL, backtrack]]) });
    await noteUndoneBacktrack({ session });
    return author;
  }

  async turn(start: TurnStart, tally: Tally, signal: AbortSignal): Promise<Outcome> {
    return runClaudeTurn(this.#context, { begin: async () => this.#begin(start), tally, signal });
  }

  async compact(focus: string | undefined, signal: AbortSignal): Promise<CompactionTold> {
    await this.#left;
    return compactConversation(this.#context, focus, signal);
  }

  modeChanged(mode: PermissionMode): void {
    // If the process cannot be reached, the next process will be started in the new mode.
    void this.#context.conversation.live?.query.setPermissionMode(sdkMode(mode)).catch(() => undefined);
  }

  async setModel(name: string): Promise<void> {
    const model = requireModel(name, await this.models());
    await this.#context.conversation.live?.query.setModel(model);
    this.#model.use(model);
  }

  async models(): Promise<readonly ClaudeModel[]> {
    const { live } = this.#context.conversation;
    return modelsOf({ ...this.#options, start: this.#start() }, live?.query);
  }

  async close(): Promise<void> {
    await this.#context.conversation.close();
    await this.#left;
    await this.#processes.close();
  }

  /** Writes the start of the turn to the log before it is sent to the SDK. */
  async #begin(start: TurnStart): Promise<Utterance> {
    const { session, captures, conversation, emit } = this.#context;
    if (start.how === "prompt") {
      const words = await conversation.prepare(sdkContent(start.prompt), start.source);
      const { checkpoint } = await session.prompt(start.prompt, words.host);
      captures.beforePrompt(checkpoint, start.author);
      return words;
    }
    captures.beforeResume(start.author);
    if (start.how === "retry") await backToLastStep(session, emit);
    await session.append({ kind: "notice", text: CONTINUE });
    const words = await conversation.prepare([]);
    await session.append(words.host);
    return words;
  }

  /**
   * Ends SDK processes that a killed run left behind. Such a process outlives its host: it finishes its current tool
   * and keeps calling the model. The process is therefore ended immediately rather than at the next prompt.
   */
  async #endProcesses(): Promise<string | undefined> {
    if (this.#options.resumed === "new") return undefined;
    const left = await this.#processes.endLeftovers().catch(() => []);
    return left.length === 0 ? undefined : "Claude Code";
  }

  /** Returns the options for the next process, with a mark that identifies it in case it outlives this program. */
  #start(): ClaudeStart {
    const { start } = this.#options;
    const mark = markVariable(start.env, this.#processes.nextMark());
    return { ...start, env: { ...start.env, ...mark } };
  }

  #createContext(context: AgentContext): ClaudeContext {
    const { sdk, openSubSession } = this.#options;
    const { session, clock, emit } = context;
    const calls = new CallBook();
    const conversation = new Conversation({
      ...{ sdk, session, clock },
      options: () => this.#sdkOptions(),
      model: () => this.#model.known,
      onMessage: async (message) =>
        applyMessage(this.#context, message, {
          init: (init) => {
            const { live } = conversation;
            if (live !== undefined) live.hostSession = init.session_id;
            this.#model.initialised(init);
          },
          counted: (result) => this.#model.counted(result),
        }),
    });
    const shared = {
      ...{ session, calls, emit },
      logName: logNames(session.header.backtrack),
      isStopped: () => this.#context.now.signal.aborted,
      onResult: async (call: Call) => onResult(this.#context, call),
    };
    return {
      ...context,
      conversation,
      permits: this.#permits(context),
      calls,
      recorder: new Recorder({
        ...shared,
        placed: (message) => conversation.placed(message),
        onReply: async () => stepOfReply(this.#context),
        onWritten: () => {
          this.#context.now.step = "none";
        },
        stepsWith: "hooks",
      }),
      subAgents: new SubAgents({ ...shared, openSubSession }),
      model: () => this.#model.now.name,
      learnWindow: async () => this.#model.learnWindow(conversation.live?.query),
      endOrphans: async () => void (await this.#processes.endLeftovers()),
      now: { tally: new Tally(), signal: new AbortController().signal, step: "none", turn: "none" },
    };
  }

  #sdkOptions(): ReturnType<typeof sdkOptions> {
    const { session, workspace, mode } = this.#context;
    return sdkOptions({
      start: this.#start(),
      workspace,
      mode: mode(),
      model: this.#model.wanted,
      backtrack: session.header.backtrack,
      framing: session.header,
      hooks: turnHooks(this.#context),
      canUseTool: canUseTool(this.#context),
      mcpServers: ownServers(this.#options.sdk, this.#context),
    });
  }

  #permits({ workspace, rules, mode, grants, person, outputs, emit }: AgentContext): PermissionContext {
    return {
      ...{ workspace, rules, mode, grants, person, outputs },
      sdkHome: sdkHome(this.#options.start.env),
      hostSessions: async () => this.#hostSessions(),
      plans: new Set(),
      onAsk: (call) => emit({ type: "doing", doing: { what: "asking", call } }),
    };
  }

  async #hostSessions(): Promise<readonly string[]> {
    const { session, conversation } = this.#context;
    const { live } = conversation;
    const sessions = new Set(live === undefined ? [] : [live.hostSession]);
    for await (const { hostSession } of hostPlacesOn(session, CLAUDE_HOST)) sessions.add(hostSession);
    return [...sessions];
  }
}
