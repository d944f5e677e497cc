import { endCutCommands } from "../../agent/shell/end-cut-commands.ts";
import { leftRunning } from "../../agent/shell/left-running.ts";
import { runCommand } from "../../agent/shell/run-command.ts";
import { backtrackTool } from "../../agent/tools/backtrack/backtrack.ts";
import { BackgroundCommands } from "../../agent/tools/bash/background-commands.ts";
import type { ShellGround } from "../../agent/tools/bash/run-shell.ts";
import { tellUndoneBacktrack } from "../../agent/turn/calls/undone-backtrack.ts";
import { answerUnstarted } from "../../agent/turn/calls/unstarted-calls.ts";
import { backToLastStep, requireCut } from "../../agent/turn/cut-turn.ts";
import { TurnGate } from "../../agent/turn-gate.ts";
import { Listeners } from "../../machine/events.ts";
import { presentAuthor } from "../../machine/files/look.ts";
import type { Agent, PromptSource } from "../../ports/agent.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { Author } from "../../record/entry.ts";
import type { SessionId } from "../../record/ids.ts";
import { BACKTRACK_TOOL, type Part, textPart } from "../../record/parts.ts";
import type { ClaudeAgentParts } from "./claude-agent-parts.ts";
import type { Utterance } from "./conversation/conversation.ts";
import { CLAUDE_HOST } from "./conversation/standing.ts";
import { type ClaudeLayout, layOutClaude } from "./lay-out-claude.ts";
import { type ClaudeModel, modelsOf, requireModel } from "./models.ts";
import { sdkMode } from "./permissions/sdk-mode.ts";
import { refuseLeaving } from "./refuse-command.ts";
import { sdkProcesses } from "./sdk/sdk-processes.ts";
import type { ClaudeBench } from "./turn/claude-bench.ts";
import { compactConversation } from "./turn/compaction/compact.ts";
import { sdkContent } from "./turn/recording/reply-parts.ts";
import { runClaudeTurn } from "./turn/turn.ts";

const GO_ON = "The turn was stopped before its end. Go on from where it stands.";

/** The agent of the Claude Agent SDK, at work on a session of ours that it holds. */
export class ClaudeAgent implements Agent {
  readonly #parts: ClaudeAgentParts;
  readonly #layout: ClaudeLayout;
  readonly #onlookers = new Listeners<AgentEvent>();
  readonly #gate: TurnGate;
  readonly #leaveGate: () => void;
  readonly #background: BackgroundCommands;
  readonly #shell: ShellGround;
  readonly #processes: BackgroundCommands;
  /** What a killed run had left of the SDK, when it has been ended. */
  readonly #left: Promise<readonly string[]>;
  #mode: PermissionMode;
  #hasPrompted = false;

  constructor(parts: ClaudeAgentParts) {
    const { session } = parts;
    this.#parts = parts;
    this.#gate = parts.gate ?? new TurnGate();
    this.#leaveGate = this.#gate.on((busy) => this.#tell({ type: "busy", busy }));
    this.#mode = parts.mode;
    this.#background = new BackgroundCommands(session.id);
    this.#shell = { ...parts, workspace: session.header.workspace, background: this.#background };
    this.#processes = sdkProcesses(session.id);
    this.#left = this.#endProcesses();
    this.#layout = layOutClaude(parts, {
      tell: (event) => this.#tell(event),
      mode: () => this.#mode,
      setMode: (mode) => this.#enter(mode),
      processes: this.#processes,
    });
  }

  get session(): SessionId {
    return this.#parts.session.id;
  }

  get workspace(): string {
    return this.#parts.session.header.workspace;
  }

  get model(): string {
    return this.#layout.model.name;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  get busy(): Busy {
    return this.#gate.busy;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    const stop = this.#onlookers.add(listener);
    const { name, window, tools } = this.#layout.model;
    listener({
      type: "session",
      version: 1,
      session: this.session,
      workspace: this.workspace,
      resumed: this.#parts.resumed,
      host: CLAUDE_HOST,
      model: name,
      window,
      mode: this.#mode,
      tools,
    });
    return stop;
  }

  async prompt(content: string | readonly Part[], source: PromptSource = "typed"): Promise<TurnEnd> {
    const parts = typeof content === "string" ? [textPart(content)] : content;
    refuseLeaving(parts);
    return this.#runTurn(async () => {
      const { session, captures, conversation } = this.#bench;
      const author = await this.#settle();
      const words = await conversation.prepare(sdkContent(parts), source);
      const { checkpoint } = await session.prompt(parts, words.host);
      captures.beforePrompt(checkpoint, author);
      return words;
    });
  }

  queue(content: string | readonly Part[]): void {
    this.#bench.queue.push(typeof content === "string" ? [textPart(content)] : content);
  }

  async resume(how: "continue" | "retry"): Promise<TurnEnd> {
    const { session, captures, conversation } = this.#bench;
    return this.#runTurn(
      async () => {
        captures.beforeGoingOn(await this.#settle());
        if (how === "retry") await backToLastStep(session, (event) => this.#tell(event));
        await session.append({ kind: "notice", text: GO_ON });
        const words = await conversation.prepare([]);
        await session.append(words.host);
        return words;
      },
      async () => requireCut(session),
    );
  }

  async interrupt(): Promise<void> {
    await this.#gate.interrupt();
  }

  async compact(focus?: string): Promise<CompactionTold> {
    return this.#gate.run("compaction", async (signal) => {
      await this.#left;
      return compactConversation(this.#bench, focus, signal);
    });
  }

  setMode(mode: PermissionMode): void {
    this.#parts.checkMode?.(mode);
    this.#enter(mode);
  }

  #enter(mode: PermissionMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    // A process that cannot be told is started anew with it.
    void this.#bench.conversation.live?.query.setPermissionMode(sdkMode(mode)).catch(() => undefined);
    this.#tell({ type: "mode", mode });
  }

  async setModel(name: string): Promise<void> {
    const model = requireModel(name, await this.models());
    await this.#bench.conversation.live?.query.setModel(model);
    this.#layout.useModel(model);
  }

  /** Those that the SDK offers: beyond the port, because only the SDK knows them. */
  async models(): Promise<readonly ClaudeModel[]> {
    return modelsOf({ ...this.#parts, start: this.#layout.start() }, this.#bench.conversation.live?.query);
  }

  async run(command: string, told: "model" | "nobody"): Promise<CommandEnd> {
    return this.#gate.run("command", async (signal) => {
      try {
        const author = await this.#settle();
        return await runCommand(this.#bench, this.#shell, { command, told, author, signal });
      } finally {
        this.#tell({ type: "doing", doing: { what: "nothing" } });
      }
    });
  }

  goOn(): void {
    this.#bench.captures.goOn();
  }

  async close(): Promise<void> {
    await this.interrupt();
    await this.#bench.conversation.close();
    await this.#left;
    await this.#processes.close();
    await this.#background.close();
    await this.#bench.captures.finished();
    await this.#parts.session.close();
    this.#leaveGate();
  }

  get #bench(): ClaudeBench {
    return this.#layout.bench;
  }

  /** `allowed`: rejects where there is nothing to do. An interrupt is heard meanwhile. */
  async #runTurn(begin: () => Promise<Utterance>, allowed?: () => Promise<void>): Promise<TurnEnd> {
    return this.#gate.run("turn", async (signal) => {
      await allowed?.();
      return runClaudeTurn(this.#bench, begin, signal);
    });
  }

  /** What a killed run has left open is ended, and said; returns who changed files since. */
  async #settle(): Promise<Author> {
    const { session, settings } = this.#parts;
    if (this.#parts.resumed !== "new" && !this.#hasPrompted) await this.#endLeftovers();
    this.#hasPrompted = true;
    // What a tool changed in a turn that a crash or a full disk cut has not been captured, and is not the person's.
    const author = await presentAuthor(session, {});
    await answerUnstarted({
      session,
      tools: new Map([
        [BACKTRACK_TOOL, backtrackTool({ session, manner: settings.backtrack, mode: () => this.#mode })],
      ]),
    });
    await tellUndoneBacktrack({ session });
    return author;
  }

  async #endLeftovers(): Promise<void> {
    await endCutCommands(this.#parts.session);
    const left = [...(await this.#left), ...(await this.#background.endLeftovers())];
    for (const event of leftRunning(left)) this.#tell(event);
  }

  /**
   * A process of the SDK outlives a host that is killed, ends the tool that it is at, and asks the model on and on: so it is
   * ended at once, and not only when the person says something.
   */
  async #endProcesses(): Promise<readonly string[]> {
    if (this.#parts.resumed === "new") return [];
    const left = await this.#processes.endLeftovers().catch(() => []);
    return left.length === 0 ? [] : ["Claude Code, with what it had started"];
  }

  #tell(event: AgentEvent): void {
    this.#onlookers.tell(event);
  }
}
