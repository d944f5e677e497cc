import { relay } from "../../../../agent/relay.ts";
import type { OpenSubSession } from "../../../../agent/sub-agent.ts";
import type { Session } from "../../../../machine/session.ts";
import type { AgentEvent } from "../../../../ports/agent-events.ts";
import type { OutsideChange } from "../../../../record/outside.ts";
import type { SdkAssistant, SdkUser } from "../../sdk/sdk-types.ts";
import type { CallBook } from "../calls/call-book.ts";
import { Recorder, type RecorderParts } from "./recorder.ts";
import { toolResults } from "./reply-parts.ts";

export interface SubAgentsParts extends Pick<RecorderParts, "onResult" | "isStopped"> {
  readonly session: Session;
  readonly calls: CallBook;
  readonly openSubSession: OpenSubSession;
  readonly tell: (event: AgentEvent) => void;
}

interface SubAgent {
  readonly session: Session;
  readonly recorder: Recorder;
  readonly outside: OutsideChange[];
}

/** Its words are the SDK's, and not ours to repeat. */
const SYSTEM = "A sub-agent of the Claude Agent SDK, which gives it its instructions.";

/** The logs of the sub-agents that the SDK runs, each below the call that started it. */
export class SubAgents {
  readonly #parts: SubAgentsParts;
  readonly #running = new Map<string, Promise<SubAgent>>();

  constructor(parts: SubAgentsParts) {
    this.#parts = parts;
  }

  async hear(call: string, message: SdkAssistant | SdkUser): Promise<void> {
    const agent = await this.#of(call);
    if (message.type === "assistant") {
      await agent.recorder.hearBlock(message);
      return;
    }
    if (toolResults(message.message.content).length > 0) await agent.recorder.hearResults(message);
    else if (agent.session.outline.length === 1) await agent.session.prompt(taskOf(message));
  }

  /** What it has said so far, written down: a tool of its is about to run. */
  async flush(call: string): Promise<void> {
    await (await this.#running.get(call))?.recorder.flush();
  }

  /** What it changed where no snapshot reaches belongs to the call that started it, in the log that can take it back. */
  async note(call: string, changes: readonly OutsideChange[]): Promise<void> {
    (await this.#running.get(call))?.outside.push(...changes);
  }

  /** The call has its result: the sub-agent is done. */
  async end(call: string): Promise<readonly OutsideChange[]> {
    const running = this.#running.get(call);
    if (running === undefined) return [];
    this.#running.delete(call);
    const { recorder, session, outside } = await running;
    try {
      await recorder.finish();
    } finally {
      await session.close();
    }
    return outside;
  }

  async endAll(): Promise<void> {
    const ended = await Promise.allSettled([...this.#running.keys()].map(async (call) => this.end(call)));
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }

  async #of(call: string): Promise<SubAgent> {
    const running = this.#running.get(call) ?? this.#begin(call);
    this.#running.set(call, running);
    return running;
  }

  async #begin(call: string): Promise<SubAgent> {
    const { session: parent, calls, openSubSession, onResult, isStopped, tell } = this.#parts;
    const session = await openSubSession({ system: SYSTEM, task: { session: parent.id, call } });
    const told = (event: AgentEvent): void => tell({ type: "sub-agent", call, session: session.id, event });
    session.on(relay(told));
    const steps = { stepsWith: "reply", task: call } as const;
    const recorder = new Recorder({ session, calls, tell: told, ...steps, onResult, isStopped });
    return { session, recorder, outside: [] };
  }
}

function taskOf({ message }: SdkUser): string {
  const { content } = message;
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
