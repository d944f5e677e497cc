import { Worker } from "node:worker_threads";
import { type ErrorParams, type ErrorReason, WorldlineError } from "../../record/error.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { Answer, Numbered, Order, WorkerStart } from "./messages.ts";

/** A thread, from the main thread's point of view. The thread answers each order exactly once, first in, first out. */
export class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (error: unknown) => void }
  >();
  /** Orders that were sent without waiting for their answers. */
  readonly #sent = new Set<number>();
  #number = 0;
  /** The error from a failed order that was sent without waiting for its answer. The next `ask` throws this error. */
  #failed: Error | undefined;
  #ended: Ending | undefined;

  constructor(entry: URL, start: WorkerStart) {
    this.#worker = new Worker(entry, { workerData: start, stdin: false });
    // Only a pending answer keeps the process alive. The thread itself does not keep it alive.
    this.#worker.unref();
    this.#worker.on("message", (message: Numbered<Answer>) => this.#answered(message));
    this.#worker.on("error", (error) => this.#end({ error }));
    this.#worker.on("exit", () => this.#end({}));
  }

  async ask(content: Order): Promise<Answer> {
    const answer = await this.#send(content);
    // A thread answers orders in sequence, so any failure of an earlier order is known by now.
    const failed = this.#failed;
    this.#failed = undefined;
    if (failed !== undefined) throw failed;
    return answer;
  }

  /** Sends an order without waiting for its answer. If the order fails, the next `ask` rejects. */
  send(content: Order): void {
    if (this.#ended !== undefined) return;
    this.#sent.add(this.#post(content));
  }

  /** Ends the thread. The thread's memory and the reason for any failure are no longer needed. */
  async close(): Promise<void> {
    try {
      if (this.#ended === undefined) await this.#send({ do: "close" });
    } finally {
      await this.#worker.terminate();
    }
  }

  async #send(content: Order): Promise<Answer> {
    if (this.#ended !== undefined) throw lost(this.#ended);
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(this.#post(content), { resolve, reject });
      this.#worker.ref();
    });
    if (answer.did === "failed") throw errorOf(answer.problem);
    return answer;
  }

  #post(content: Order): number {
    this.#number += 1;
    this.#worker.postMessage({ number: this.#number, content } satisfies Numbered<Order>);
    return this.#number;
  }

  #answered({ number, content }: Numbered<Answer>): void {
    if (this.#sent.delete(number) && content.did === "failed") this.#failed ??= errorOf(content.problem);
    this.#waiting.get(number)?.resolve(content);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #end(ending: Ending): void {
    this.#ended ??= ending;
    for (const { reject } of this.#waiting.values()) reject(lost(ending));
    this.#waiting.clear();
  }
}

/** How a thread ended. The error is absent if the thread exited without an error. */
interface Ending {
  readonly error?: Error;
}

function lost({ error }: Ending): WorldlineError {
  return new WorldlineError("thread-ended", { why: error?.message }, { cause: error });
}

/**
 * Converts a problem to an error. Errors lose their class when they are passed between threads, so the reason
 * identifies them.
 */
function errorOf(problem: Problem): Error {
  if (typeof problem === "string") return new Error(problem);
  return new WorldlineError(problem.reason as ErrorReason, problem.params as ErrorParams);
}
