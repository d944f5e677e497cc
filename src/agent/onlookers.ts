import type { AgentEvent } from "../ports/agent-events.ts";

/** Whoever looks on while an agent works. */
export class Onlookers {
  readonly #listeners = new Set<(event: AgentEvent) => void>();

  add(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: AgentEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // Whoever looks on must not be able to stop a turn; what they throw is handed to the process, later.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
