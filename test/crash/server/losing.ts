import { setTimeout } from "node:timers/promises";
import type { PostgresServer } from "../../../scripts/postgres-server.mjs";
import { ManualClock } from "../../../src/testing/testing.ts";
import { askPostgres } from "../../support/postgres/postgres.ts";
import { sumOf, Writing, type WritingReport } from "./writing.ts";

const WRITERS = 2;
const LATEST_MS = 40;
/** Counts the sessions of this process, so that each writer gets its own. */
let sessions = 0;

/** A fault that hits the server while it is being written to, until it has happened `times` times. */
interface Losing {
  readonly server: PostgresServer;
  readonly times: number;
  readonly seed: number;
}

/** Kills all server processes and restarts the server while two writers are active. */
export async function killServer({ server, times, seed }: Losing): Promise<WritingReport> {
  const dice = new ManualClock({ seed });
  return underWriters(server, async (haveWritten) => {
    for (let kill = 1; kill <= times; kill += 1) {
      await haveWritten();
      await setTimeout(dice.below(LATEST_MS));
      await server.kill();
      await server.start();
    }
    await haveWritten();
  });
}

/** Terminates the store's connections from the server side at random moments. */
export async function cutConnections({
  server,
  times,
  seed,
}: Losing): Promise<WritingReport & { readonly cuts: number }> {
  const dice = new ManualClock({ seed });
  let cuts = 0;
  const report = await underWriters(server, async (haveWritten) => {
    while (cuts < times) {
      await setTimeout(dice.below(LATEST_MS));
      const cut = await askPostgres(
        server.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'worldline'",
      );
      cuts += cut.length;
    }
    await haveWritten();
  });
  return { cuts, ...report };
}

async function underWriters(
  { url }: PostgresServer,
  work: (haveWritten: () => Promise<void>) => Promise<void>,
): Promise<WritingReport> {
  const writers = Array.from({ length: WRITERS }, () => {
    sessions += 1;
    return new Writing(url, sessions);
  });
  for (const writer of writers) await writer.begin();
  let isOver = false;
  const writing = Promise.all(
    writers.map(async (writer) => {
      while (!isOver) await writer.append();
    }),
  );
  // Resolves when every writer has made progress since this call.
  const haveWritten = async (): Promise<void> => {
    const before = writers.map(({ acknowledged }) => acknowledged);
    while (writers.some(({ acknowledged }, at) => acknowledged < (before[at] ?? 0) + 6)) await setTimeout(1);
  };
  try {
    // If a writer fails, everything ends.
    await Promise.race([work(haveWritten), writing]);
  } finally {
    isOver = true;
    await writing;
  }
  return sumOf(await Promise.all(writers.map(async (writer) => writer.judge())));
}
