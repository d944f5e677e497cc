import type { Socket } from "node:net";
import type { Client, ClientBase, CustomTypesConfig, Pool, PoolClient } from "pg";
import type { PostgresAddress } from "./address.ts";
import { loadPg } from "./load-pg.ts";

const LEAST_CONNECT_MS = 1000;
const MOST_CONNECT_MS = 5000;
/** Beyond our patience, within which a server that is only busy says so. */
const SILENCE_MORE_MS = 1000;
const CONNECTIONS = 4;
const OID = { bool: 16, int8: 20, numeric: 1700 };

/** A connection that is ours until it is given back. */
export interface Connection {
  readonly client: PoolClient;
  /** "broken" ends it; another one is made when it is needed. */
  giveBack(state: "whole" | "broken"): void;
  /** How long a server may say and take nothing, while it is to answer, before it counts as lost. */
  readonly silenceMs: number;
}

export interface ConnectionsOptions {
  /** A folder whose packages may be run, and which is asked when there is no `pg` beside Worldline. */
  readonly packages?: string;
  readonly patienceMs: number;
}

/** The connections of one store to its server: none before the first is asked for, few, and none that keeps the process. */
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

  /** When those that are in use have been given back. */
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
      connectionTimeoutMillis: Math.max(
        LEAST_CONNECT_MS,
        Math.min(MOST_CONNECT_MS, this.#options.patienceMs),
      ),
      application_name: "worldline",
      types: plainTypes(pg.types.getTypeParser as CustomTypesConfig["getTypeParser"]),
    });
    // A connection that is cut when nobody waits for an answer is no news: whoever uses it next hears of it. These
    // listeners leave no gap, not even between two messages that come together: an error that nobody hears ends the process.
    pool.on("error", ignore);
    pool.on("acquire", (client) => client.on("error", ignore));
    pool.on("release", (_, client) => client.off("error", ignore));
    return pool;
  }
}

/**
 * What a server answers, unless it says nothing for too long. Not a limit of the whole: a large blob on a slow line is
 * not cut off as long as it moves, and a server that hangs is given up within our patience.
 */
export async function answered<Result>(
  client: ClientBase,
  silenceMs: number,
  answer: () => Promise<Result>,
): Promise<Result> {
  const { stream } = (client as Client).connection as unknown as { readonly stream: Socket };
  const giveUp = (): void => {
    stream.destroy(new Error(`Connection terminated: no answer for ${silenceMs} milliseconds`));
  };
  stream.setTimeout(silenceMs, giveUp);
  try {
    return await answer();
  } finally {
    stream.setTimeout(0, giveUp);
  }
}

function ignore(): void {
  // Said above: there is nobody to tell.
}

/** Numbers as numbers, as SQLite has them: none of ours is beyond what a number holds. */
function plainTypes(usual: CustomTypesConfig["getTypeParser"]): CustomTypesConfig {
  const parsers = new Map<number, (text: string) => unknown>([
    [OID.bool, (text) => (text === "t" ? 1 : 0)],
    [OID.int8, Number],
    [OID.numeric, Number],
  ]);
  return { getTypeParser: (oid, format) => parsers.get(oid) ?? usual(oid, format) };
}
