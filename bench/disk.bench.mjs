import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contenders, driverAt, langGraph, stores } from "./contenders.mjs";
import { bytesOnDisk } from "./measure.mjs";
import { evenMessages } from "./messages.mjs";
import { leftOut, withPostgres } from "./postgres.mjs";
import { report } from "./report.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const count = 10_000;
const shortCount = 1000;
const bytesEach = 2048;
const compactions = 50;
const journeys = 100;
const keep = 4;
/** How many messages before a journey its checkpoint is created. */
const distance = 10;
const note = "That way was a dead end: the cache is not shared. Start from the writer instead. ".repeat(3);
const summary = "What was done so far, what failed and why, and what is left to do. ".repeat(15);

/** Plays the same history with a contender; returns how many bytes of text it received. */
async function play(driver, dir) {
  const ready = await driver.create(dir);
  let given = 0;
  let index = 0;
  let place;
  for (const message of evenMessages({ count, bytesEach })) {
    await ready.append(message);
    given += message.text.length;
    index += 1;
    const step = index % (count / journeys);
    if (step === count / journeys - distance) place = await ready.checkpoint();
    if (step === 0) {
      // Half of the journeys are the agent's, with a note to itself; the other half are the user's.
      const own = (index / (count / journeys)) % 2 === 0 ? note : undefined;
      await ready.goBack(place, own);
      given += own?.length ?? 0;
    }
    // Compactions happen halfway between two journeys, so that no journey has to cross one.
    if (index % (count / compactions) === count / compactions / 4) {
      await ready.compact(summary, keep);
      given += summary.length;
    }
  }
  await ready.close();
  return given;
}

/** Plays messages only, without journeys or compactions. */
async function playShort(driver, dir) {
  const ready = await driver.create(dir);
  let given = 0;
  for (const message of evenMessages({ count: shortCount, bytesEach })) {
    await ready.append(message);
    given += message.text.length;
  }
  await ready.close();
  return given;
}

function measure({ name, url }, playing) {
  return withTempDir(async (root) => {
    const driver = await driverAt(url);
    const dir = join(root, "session");
    mkdirSync(dir);
    const given = await playing(driver, dir);
    return { name, given, onDisk: await (driver.bytesOnDisk ?? bytesOnDisk)(dir) };
  });
}

async function measureAll(entrants, playing) {
  const rows = [];
  for (const entrant of entrants) rows.push(await measure(entrant, playing));
  return rows;
}

const printed = (rows) =>
  table(rows, {
    "": (row) => row.name,
    "bytes of conversation": (row) => figure(row.given),
    "bytes on disk": (row) => figure(row.onDisk),
    ratio: (row) => times(row.onDisk / row.given),
  });

await withPostgres(async (postgres) => {
  const [own, ...peers] = await contenders();
  const ours = [own, ...(await stores(postgres))];
  const rows = await measureAll([...ours, ...peers], play);
  const short = await measureAll([...ours, await langGraph()], playShort);
  report("disk", {
    title: `${figure(count)} messages of 2 KB, ${compactions} compactions, ${journeys} journeys`,
    tables: [
      "For files and SQLite, the size includes every file that exists when the session is closed. For Postgres, the size includes " +
        "all tables with their indexes and TOAST, but not the server's own write-ahead log.",
      ...(postgres === "absent" ? [leftOut] : []),
      printed(rows),
      `${figure(shortCount)} messages of 2 KB and nothing else`,
      printed(short),
    ],
    figures: { rows, short },
  });
});
