import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type Pg from "pg";
import type { Client, ClientBase, CustomTypesConfig, Pool, PoolClient } from "pg";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import type { PostgresAddress } from "./address.ts";

const MIN_CONNECT_MS = 1000;
const MAX_CONNECT_MS = 5000;
/**
 * Time to wait for an answer after `patienceMs` has passed. A server that is only busy reports that within
 * `patienceMs`.
 */
const SILENCE_MORE_MS = 1000;
const CONNECTIONS = 4;
const OID = { bool: 16, int8: 20, numeric: 1700 };

/** A connection that the caller owns until it calls `giveBack`. */
export interface Connection {
  readonly client: PoolClient;
  /**
   * Returns the connection to the pool. With "broken", the connection is closed, and a new connection is opened when
   * one is needed.
   */
  giveBack(state: "whole" | "broken"): void;
  /**
   * Time after which the connection is considered lost if the server has not answered and neither sends nor accepts
   * data.
   */
  readonly silenceMs: number;
}

interface ConnectionsOptions {
  /** The folder to load `pg` from if it is not installed next to Worldline. Code in this folder is executed. */
  readonly packages?: string;
  readonly patienceMs: number;
}

/**
 * The connections from one store to its server. A store has only a few connections. Each is opened only when it is
 * needed, and does not keep the process alive.
 */
export class Connections {
  readonly #address: PostgresAddress;
  readonly #options: ConnectionsOptions;
  #pool: Promise<Pool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(address: PostgresAddress, options: ConnectionsOptions) {
    this.#address = address;
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  async take(): Promise<Connection> {
    this.#pool ??= this.#openPool();
    const client = await (await this.#pool).connect();
    const silenceMs = this.#options.patienceMs + SILENCE_MORE_MS;
    return { client, silenceMs, giveBack: (state) => client.release(state === "broken") };
  }

  /** Closes all connections. Resolves when all connections have been returned and closed. */
  async close(): Promise<void> {
    this.#closing ??= this.#end();
    await this.#closing;
  }

  async #end(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #openPool(): Promise<Pool> {
    const pg = await loadPg(this.#options);
    const pool = new pg.Pool({
      connectionString: this.#address.connection,
      max: CONNECTIONS,
      allowExitOnIdle: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: Math.max(MIN_CONNECT_MS, Math.min(MAX_CONNECT_MS, this.#options.patienceMs)),
      application_name: "worldline",
      types: plainTypes(pg.types.getTypeParser as CustomTypesConfig["getTypeParser"]),
    });
    // The loss of an idle connection is ignored, because the next user of the connection receives the error. A listener
    // is always attached, even between two messages that arrive together, because an error event without a listener
    // would end the process.
    pool.on("error", ignore);
    pool.on("acquire", (client) => client.on("error", ignore));
    pool.on("release", (_, client) => client.off("error", ignore));
    return pool;
  }
}

/**
 * Waits for a server's answer, unless the server is silent for too long. The total time is not limited. A large blob on
 * a slow connection is not interrupted as long as data is being transferred. The connection to a server that hangs is
 * given up after `silenceMs`.
 */
export async function answered<Result>(
  client: ClientBase,
  silenceMs: number,
  answer: () => Promise<Result>,
): Promise<Result> {
  const { stream } = (client as Client).connection as unknown as { readonly stream: Socket };
  const giveUp = (): void => {
    stream.destroy(new Error(`Connection terminated: no response for ${silenceMs} milliseconds`));
  };
  stream.setTimeout(silenceMs, giveUp);
  try {
    return await answer();
  } finally {
    stream.setTimeout(0, giveUp);
  }
}

function ignore(): void {
  // The next user of the connection receives the error.
}

/**
 * Makes `pg` return numbers as JavaScript numbers, as SQLite does. All numbers that Worldline stores fit in a
 * JavaScript number.
 */
function plainTypes(usual: CustomTypesConfig["getTypeParser"]): CustomTypesConfig {
  const parsers = new Map<number, (text: string) => unknown>([
    [OID.bool, (text) => (text === "t" ? 1 : 0)],
    [OID.int8, Number],
    [OID.numeric, Number],
  ]);
  return { getTypeParser: (oid, format) => parsers.get(oid) ?? usual(oid, format) };
}

/**
 * Loads the package `pg`, which is installed only by users who store sessions in Postgres. Searches for the package
 * where Worldline itself is installed. Does not search the current folder unless the caller requests it, because code
 * in that folder would receive the password and would run before the user has trusted the folder.
 */
export async function loadPg(options: Pick<ConnectionsOptions, "packages"> = {}): Promise<typeof Pg> {
  try {
    return pgOf(await import("pg"));
  } catch (error) {
    if (!isAbsent(error)) throw broken(error);
  }
  const found = options.packages === undefined ? undefined : resolveFrom(options.packages);
  if (found === undefined) throw new WorldlineError("pg-missing", {});
  try {
    return pgOf(await import(pathToFileURL(found).href));
  } catch (error) {
    throw broken(error);
  }
}

function pgOf(module: unknown): typeof Pg {
  const { default: whole } = module as { readonly default: typeof Pg };
  return whole;
}

function resolveFrom(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve("pg");
  } catch {
    return undefined;
  }
}

/** Checks whether the package itself is missing, rather than one of its dependencies. */
function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error);
  const isMissing = errno === "ERR_MODULE_NOT_FOUND" || errno === "MODULE_NOT_FOUND";
  return isMissing && error instanceof Error && /package 'pg'|module 'pg'/u.test(error.message);
}

function broken(cause: unknown): WorldlineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError("pg-broken", { why }, { cause });
}
