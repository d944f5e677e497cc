import type { LogStore } from "../../ports/log-store.ts";

/** How long closing may take: a server that is gone must not keep the person from their prompt. */
const CLOSING_MS = 2_000;

/** The stores that one run of the program has opened: each once, and all closed when it ends. */
export class RunStores {
  readonly #opened = new Map<string, LogStore>();

  /** The one of that name; made by the first who asks. */
  open(name: string, make: () => LogStore): LogStore {
    const opened = this.#opened.get(name) ?? make();
    this.#opened.set(name, opened);
    return opened;
  }

  /** Never rejects: what was appended is durable, and what the command has to say is said. */
  async close(): Promise<void> {
    const stores = [...this.#opened.values()];
    this.#opened.clear();
    if (stores.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSING_MS);
    });
    await Promise.race([Promise.allSettled(stores.map(async (store) => store.close())), patience]);
    clearTimeout(timer);
  }
}
