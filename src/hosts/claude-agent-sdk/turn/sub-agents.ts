import { forwardLogEvents } from "../../../agent/agent.ts";
import type { OpenSubSession } from "../../../agent/agent-context.ts";
import type { Session } from "../../../machine/session.ts";
import type { AgentEvent } from "../../../ports/agent-events.ts";
import type { OutsideChange } from "../../../record/files.ts";
import { toolResults } from "../sdk/content.ts";
import type { SdkAssistant, SdkUser } from "../sdk/sdk-types.ts";
import type { CallBook } from "./call-book.ts";
import { Recorder, type RecorderOptions } from "./recorder.ts";

export interface SubAgentsOptions extends Pick<RecorderOptions, "onResult" | "isStopped" | "logName"> {
  readonly session: Session;
  readonly calls: CallBook;
  readonly openSubSession: OpenSubSession;
  readonly emit: (event: AgentEvent) => void;
}

interface SubAgent {
  readonly session: Session;
  readonly emit: (event: AgentEvent) => void;
  readonly recorder: Recorder;
  readonly outside: OutsideChange[];
}

/**
 * The system prompt in a sub-agent's log. The SDK gives a sub-agent its instructions, so they are not repeated here.
 */
const SYSTEM = "A sub-agent of the Claude Agent SDK. The SDK provides its instructions.";

/** The logs of the SDK's sub-agents, each assigned to the call that started it. */
export class SubAgents {
  readonly #options: SubAgentsOptions;
  readonly #running = new Map<string, Promise<SubAgent>>();

  constructor(options: SubAgentsOptions) {
    this.#options = options;
  }

  async applyMessage(call: string, message: SdkAssistant | SdkUser): Promise<void> {
    // A message that arrives after its call has ended would start a second log.
    if (this.#options.calls.get(call)?.state === "ended") return;
    const agent = await this.#of(call);
    if (message.type === "assistant") {
      await agent.recorder.addBlock(message);
      return;
    }
    if (toolResults(message.message.content).length > 0) await agent.recorder.addResults(message);
    else if (agent.session.outline.length === 1) await agent.session.prompt(taskOf(message));
  }

  /** Writes the sub-agent's reply, because one of its tools is about to run. */
  async settle(call: string): Promise<void> {
    await (await this.#running.get(call))?.recorder.settle();
  }

  /**
   * Adds changes outside the workspace to those of a sub-agent. The changes will be logged with the call that started
   * the sub-agent, because the log of that call can undo them.
   */
  async addOutside(call: string, changes: readonly OutsideChange[]): Promise<void> {
    (await this.#running.get(call))?.outside.push(...changes);
  }

  /**
   * Ends a sub-agent whose call has a result. Returns the sub-agent's changes outside the workspace, for the caller's
   * log.
   */
  async end(call: string): Promise<readonly OutsideChange[]> {
    const running = this.#running.get(call);
    if (running === undefined) return [];
    const { recorder, session, outside } = await running;
    try {
      // Calls that are interrupted together with the sub-agent may still add changes.
      await recorder.finish();
    } finally {
      this.#running.delete(call);
      await session.close();
    }
    return outside;
  }

  /** Ends all sub-agents one by one. Parents come first, because each parent ends the sub-agents that it started. */
  async endAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const call of [...this.#running.keys()]) {
      await this.end(call).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #of(call: string): Promise<SubAgent> {
    const running = this.#running.get(call) ?? this.#begin(call);
    this.#running.set(call, running);
    return running;
  }

  /** Returns the caller of a sub-agent: either the session itself or another sub-agent. */
  async #callerOf(call: string): Promise<Pick<SubAgent, "session" | "emit">> {
    const task = this.#options.calls.get(call)?.task;
    return (task === undefined ? undefined : await this.#running.get(task)) ?? this.#options;
  }

  async #begin(call: string): Promise<SubAgent> {
    const { calls, openSubSession, onResult, isStopped, logName } = this.#options;
    const caller = await this.#callerOf(call);
    const session = await openSubSession({ system: SYSTEM, task: { session: caller.session.id, call } });
    const emit = (event: AgentEvent): void =>
      caller.emit({ type: "sub-agent", call, session: session.id, event });
    session.on(forwardLogEvents(emit));
    const steps = { stepsWith: "reply", task: call } as const;
    const recorder = new Recorder({ session, calls, emit, logName, ...steps, onResult, isStopped });
    return { session, emit, recorder, outside: [] };
  }
}

function taskOf({ message }: SdkUser): string {
  const { content } = message;
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
