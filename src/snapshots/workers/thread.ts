import { Worker } from "node:worker_threads";
import { type ErrorCode, WorldlineError } from "../../record/error.ts";
import type { Answer, Numbered, Order, WorkerStart } from "./messages.ts";

/** One thread, as the main one sees it: each order gets one answer, in order. */
export class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (error: unknown) => void }
  >();
  #number = 0;
  #ended: Error | undefined;

  constructor(entry: URL, start: WorkerStart) {
    this.#worker = new Worker(entry, { workerData: start, stdin: false });
    // A program that has nothing else to do may end; whoever waits for an answer keeps it alive.
    this.#worker.unref();
    this.#worker.on("message", (message: Numbered<Answer>) => this.#answered(message));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("The thread ended.")));
  }

  async ask(content: Order): Promise<Answer> {
    if (this.#ended !== undefined) throw lost(this.#ended);
    this.#number += 1;
    const number = this.#number;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ number, content } satisfies Numbered<Order>);
    });
    if (answer.did === "failed") throw errorOf(answer);
    return answer;
  }

  /** For an order whose answer nobody waits for. Should it fail, the thread has ended, and the next `ask` says so. */
  tell(content: Order): void {
    this.ask(content).catch(() => undefined);
  }

  async close(): Promise<void> {
    try {
      if (this.#ended === undefined) await this.ask({ do: "close" });
    } finally {
      await this.#worker.terminate();
    }
  }

  #answered({ number, content }: Numbered<Answer>): void {
    this.#waiting.get(number)?.resolve(content);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #end(cause: Error): void {
    this.#ended ??= cause;
    for (const { reject } of this.#waiting.values()) reject(lost(cause));
    this.#waiting.clear();
  }
}

function lost(cause: Error): WorldlineError {
  return new WorldlineError(
    "STORE_UNREADABLE",
    `A thread that looked at the workspace ended: ${cause.message}`,
    {
      hint: "Nothing was changed. Try again.",
      cause,
    },
  );
}

/** Errors lose their class on the way between threads; the code says what they were. */
function errorOf({ code, message, hint }: Extract<Answer, { did: "failed" }>): Error {
  if (code === undefined) return new Error(message);
  return new WorldlineError(code as ErrorCode, message, hint === undefined ? {} : { hint });
}
