import type { Agent, PromptSource } from "../../ports/agent.ts";
import type { AgentEvent, CommandEnd, CompactionTold, TurnEnd } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Part } from "../../record/parts.ts";
import type { AutoMode } from "../app-types.ts";
import type { Turns } from "./turns.ts";

/** The agent, whose turns and the work by hand of the station keep out of each other's way. Auto mode waits for the user's word. */
export class GuardedAgent implements Agent {
  readonly #agent: Agent;
  readonly #turns: Turns;
  readonly #auto: Pick<AutoMode, "isConfirmed">;

  constructor(agent: Agent, turns: Turns, auto: Pick<AutoMode, "isConfirmed">) {
    this.#agent = agent;
    this.#turns = turns;
    this.#auto = auto;
  }

  get session(): SessionId {
    return this.#agent.session;
  }

  get workspace(): string {
    return this.#agent.workspace;
  }

  get model(): string {
    return this.#agent.model;
  }

  get mode(): PermissionMode {
    return this.#agent.mode;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    return this.#agent.on(listener);
  }

  async prompt(content: string | readonly Part[], source?: PromptSource): Promise<TurnEnd> {
    return this.#turns.take(() => this.#agent.prompt(content, source));
  }

  queue(content: string | readonly Part[]): void {
    this.#agent.queue(content);
  }

  async resume(how: "continue" | "retry"): Promise<TurnEnd> {
    return this.#turns.take(() => this.#agent.resume(how));
  }

  async interrupt(): Promise<void> {
    return this.#agent.interrupt();
  }

  async compact(focus?: string): Promise<CompactionTold> {
    return this.#turns.take(() => this.#agent.compact(focus));
  }

  setMode(mode: PermissionMode): void {
    if (mode === "auto" && !this.#auto.isConfirmed) {
      throw new WorldlineError("INPUT_INVALID", "Auto mode was not confirmed in this session.", {
        hint: "Enter it by name: /permissions auto",
      });
    }
    this.#agent.setMode(mode);
  }

  async setModel(name: string): Promise<void> {
    return this.#agent.setModel(name);
  }

  async run(command: string, told: "model" | "nobody"): Promise<CommandEnd> {
    return this.#turns.take(() => this.#agent.run(command, told));
  }

  goOn(): void {
    this.#agent.goOn();
  }

  async close(): Promise<void> {
    return this.#agent.close();
  }
}
