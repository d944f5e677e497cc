import { Listeners } from "../machine/events.ts";
import { presentAuthor } from "../machine/files/look.ts";
import type { Session } from "../machine/session.ts";
import type { Agent } from "../ports/agent.ts";
import type { AgentEvent, Busy, CommandEnd, CompactionTold, TurnEnd } from "../ports/agent-events.ts";
import type { Model } from "../ports/model.ts";
import type { PermissionMode } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import { type Part, textPart } from "../record/parts.ts";
import { type Common, layOut } from "./lay-out.ts";
import { relay } from "./relay.ts";
import { endCutCommands } from "./shell/end-cut-commands.ts";
import { leftRunning } from "./shell/left-running.ts";
import { runCommand } from "./shell/run-command.ts";
import { type OpenSubSession, runSubAgent } from "./sub-agent.ts";
import { backtrackTool } from "./tools/backtrack/backtrack.ts";
import { BackgroundCommands } from "./tools/bash/background-commands.ts";
import type { ShellGround } from "./tools/bash/run-shell.ts";
import { taskTool } from "./tools/task/task.ts";
import type { Tool } from "./tools/tool.ts";
import { sweepHalfWritten } from "./turn/calls/half-written.ts";
import { tellUndoneBacktrack } from "./turn/calls/undone-backtrack.ts";
import { answerUnstarted } from "./turn/calls/unstarted-calls.ts";
import { backToLastStep, requireCut } from "./turn/cut-turn.ts";
import { PromptQueue } from "./turn/prompt-queue.ts";
import { runTurn } from "./turn/turn.ts";
import type { Workbench } from "./turn/workbench.ts";
import { TurnGate } from "./turn-gate.ts";

export interface NativeAgentParts {
  /** Held; the agent closes it. */
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly common: Omit<Common, "mode" | "setMode">;
  readonly mode: PermissionMode;
  /** The files of the workspace, where the session has them. Whoever opened them closes them. */
  readonly files?: WorkspaceFiles;
  /** Of MCP servers. */
  readonly tools?: readonly Tool[];
  readonly openSubSession: OpenSubSession;
  /** Shared by the agents of one front end; by default one of its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws where the user may not enter that mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
  /** Finds another model by its name; absent: the model stays the one it began with. */
  readonly openModel?: (name: string) => Promise<Model>;
}

/** Our own agent, at work on a session that it holds. */
export class NativeAgent implements Agent {
  readonly #session: Session;
  readonly #bench: Workbench;
  readonly #background: BackgroundCommands;
  readonly #onlookers = new Listeners<AgentEvent>();
  readonly #gate: TurnGate;
  readonly #resumed: NativeAgentParts["resumed"];
  readonly #queue = new PromptQueue();
  readonly #shell: ShellGround;
  readonly #openModel: NativeAgentParts["openModel"];
  readonly #checkMode: NativeAgentParts["checkMode"];
  readonly #leaveGate: () => void;
  /** The one that was chosen since; undefined while it is the one it began with. */
  #model: Model | undefined;
  #mode: PermissionMode;
  #hasPrompted = false;

  constructor(parts: NativeAgentParts) {
    const { session, files } = parts;
    this.#session = session;
    this.#background = new BackgroundCommands(session.id);
    this.#mode = parts.mode;
    this.#resumed = parts.resumed;
    this.#openModel = parts.openModel;
    this.#checkMode = parts.checkMode;
    this.#gate = parts.gate ?? new TurnGate();
    this.#leaveGate = this.#gate.on((busy) => this.#tell({ type: "busy", busy }));
    const common: Common = {
      ...parts.common,
      model: () => this.#model ?? parts.common.model(),
      mode: () => this.#mode,
      setMode: (mode) => this.#enter(mode),
    };
    this.#shell = { ...parts.common, workspace: session.header.workspace, background: this.#background };
    const tell = (event: AgentEvent): void => this.#tell(event);
    const task = taskTool(async (wanted, call) =>
      runSubAgent(
        {
          common,
          parent: session,
          openSubSession: parts.openSubSession,
          tell,
          onSpent: (spent) => this.#bench.spending.add(spent),
          tools: parts.tools ?? [],
          captures: () => this.#bench.captures,
        },
        wanted,
        call,
      ),
    );
    const backtrack = backtrackTool({ session, manner: common.settings.backtrack, mode: common.mode });
    this.#bench = layOut({
      common,
      session,
      ...(files === undefined ? {} : { files }),
      background: this.#background,
      tools: [task, ...(session.header.backtrack === "on" ? [backtrack] : []), ...(parts.tools ?? [])],
      without: new Set(),
      tell,
      queue: this.#queue,
    });
    session.on(relay(tell));
  }

  get session(): SessionId {
    return this.#session.id;
  }

  get workspace(): string {
    return this.#bench.workspace;
  }

  get model(): string {
    return this.#bench.model().name;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  get busy(): Busy {
    return this.#gate.busy;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    const stop = this.#onlookers.add(listener);
    const { window } = this.#bench.model();
    listener({
      type: "session",
      version: 1,
      session: this.session,
      workspace: this.workspace,
      resumed: this.#resumed,
      model: this.model,
      window,
      mode: this.#mode,
      tools: [...this.#bench.tools.keys()],
    });
    return stop;
  }

  async prompt(content: string | readonly Part[]): Promise<TurnEnd> {
    const { session, captures, compacting } = this.#bench;
    return this.#runTurn(async () => {
      await this.#endLeftovers();
      compacting.renew();
      const author = await this.#authorSince();
      await answerUnstarted(this.#bench);
      await tellUndoneBacktrack(this.#bench);
      const { checkpoint } = await session.prompt(partsOf(content));
      captures.beforePrompt(checkpoint, author);
    });
  }

  queue(content: string | readonly Part[]): void {
    this.#queue.push(partsOf(content));
  }

  async resume(how: "continue" | "retry"): Promise<TurnEnd> {
    return this.#runTurn(
      async () => {
        await this.#endLeftovers();
        this.#bench.captures.beforeGoingOn(await this.#authorSince());
        if (how === "retry") await backToLastStep(this.#session, (event) => this.#tell(event));
        await answerUnstarted(this.#bench);
        await tellUndoneBacktrack(this.#bench);
      },
      async () => requireCut(this.#session),
    );
  }

  async interrupt(): Promise<void> {
    await this.#gate.interrupt();
  }

  async compact(focus?: string): Promise<CompactionTold> {
    return this.#gate.run("compaction", async (signal) => this.#bench.compacting.asked(focus, signal));
  }

  setMode(mode: PermissionMode): void {
    this.#checkMode?.(mode);
    this.#enter(mode);
  }

  #enter(mode: PermissionMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#tell({ type: "mode", mode });
  }

  async setModel(name: string): Promise<void> {
    if (this.#openModel === undefined) {
      throw new WorldlineError("MODEL_UNKNOWN", `The model cannot be changed to ${name} here.`, {
        hint: "Begin again with the model that you want: worldline --model <name>",
      });
    }
    const model = await this.#openModel(name);
    this.#model = model;
    this.#session.useWindow(model.window);
    this.#tell({ type: "model", model: model.name, window: model.window });
  }

  async run(command: string, told: "model" | "nobody"): Promise<CommandEnd> {
    return this.#gate.run("command", async (signal) => {
      try {
        await this.#endLeftovers();
        return await runCommand(this.#bench, this.#shell, {
          command,
          told,
          author: await this.#authorSince(),
          signal,
        });
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
    await this.#background.close();
    await this.#bench.captures.finished();
    await this.#session.close();
    this.#leaveGate();
  }

  /** `allowed`: rejects where there is nothing to do. An interrupt is heard meanwhile. */
  async #runTurn(begin: () => Promise<void>, allowed?: () => Promise<void>): Promise<TurnEnd> {
    return this.#gate.run("turn", async (signal) => {
      await allowed?.();
      return runTurn(this.#bench, begin, signal);
    });
  }

  /** A run that was killed could not end its commands, and they would go on changing files under this one's hands. */
  async #endLeftovers(): Promise<void> {
    if (this.#resumed === "new" || this.#hasPrompted) return;
    await endCutCommands(this.#session);
    await sweepHalfWritten(this.#bench);
    const left = await this.#background.endLeftovers();
    for (const event of leftRunning(left)) this.#tell(event);
  }

  /** What a crash cut off in the middle of a tool was the tool's; later, whoever changed files was somebody else. */
  async #authorSince(): Promise<Author> {
    if (this.#hasPrompted) return "outside";
    this.#hasPrompted = true;
    return presentAuthor(this.#session, {});
  }

  #tell(event: AgentEvent): void {
    this.#onlookers.tell(event);
  }
}

function partsOf(content: string | readonly Part[]): readonly Part[] {
  return typeof content === "string" ? [textPart(content)] : content;
}
