import type { ClientBase, QueryResult } from "pg";
import { SerialQueue } from "../../disk/serial-queue.ts";
import type { SqlRow, SqlValue, Transaction } from "../sql/database.ts";
import { answered, type Connection } from "./connections.ts";

/** Postgres counts its placeholders; a question mark within quotes is none. */
export function numbered(text: string): string {
  let count = 0;
  return text.replace(/'[^']*'|"[^"]*"|\?/gu, (found) => {
    if (found !== "?") return found;
    count += 1;
    return `$${count}`;
  });
}

/** A transaction that has begun, up to its end, which is not its own. */
export class PostgresTransaction implements Transaction {
  readonly #client: ClientBase;
  readonly #silenceMs: number;
  /** A connection does one thing at a time. */
  readonly #queue = new SerialQueue();
  #hasEnded = false;
  /** The first statement's that failed: after that one Postgres does nothing more, whatever `work` makes of it. */
  failure: { readonly failure: unknown } | undefined;

  constructor({ client, silenceMs }: Pick<Connection, "client" | "silenceMs">) {
    this.#client = client;
    this.#silenceMs = silenceMs;
  }

  /** Returns the last value of the statements that begin it, where they ask for one. */
  async begin(text: string): Promise<string> {
    const results: unknown = await this.#sent(text);
    const last = (Array.isArray(results) ? results.at(-1) : results) as QueryResult<SqlRow>;
    return String(Object.values(last.rows[0] ?? {})[0] ?? "");
  }

  async all(text: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return (await this.#query(text, values)).rows;
  }

  async run(text: string, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query(text, values)).rowCount ?? 0;
  }

  /** Rejects where any statement failed, whatever `work` made of that. Afterwards nothing can be asked any more. */
  async perform<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    let result: Result;
    try {
      result = await work(this);
    } finally {
      this.#hasEnded = true;
      await this.#queue.idle();
    }
    if (this.failure !== undefined) throw this.failure.failure;
    return result;
  }

  /** Only when all is performed. */
  async commit(): Promise<{ readonly failure: unknown } | undefined> {
    await this.#sent("COMMIT").catch(() => undefined);
    return this.failure;
  }

  async rollBack(): Promise<void> {
    await this.#sent("ROLLBACK");
  }

  async #sent(text: string, values?: SqlValue[]): Promise<QueryResult<SqlRow>> {
    try {
      return await answered(this.#client, this.#silenceMs, async () =>
        this.#client.query<SqlRow>(text, values),
      );
    } catch (error) {
      this.failure ??= { failure: error };
      throw error;
    }
  }

  async #query(text: string, values: readonly SqlValue[]): Promise<QueryResult<SqlRow>> {
    if (this.#hasEnded) throw new Error("The transaction has ended; nothing can be asked in it any more.");
    return this.#queue.run(async () => this.#sent(numbered(text), [...values]));
  }
}
