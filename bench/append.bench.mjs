import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { contenders } from "./contenders.mjs";
import { inChild } from "./in-child.mjs";
import { stats } from "./measure.mjs";
import { conversation } from "./messages.mjs";
import { report } from "./report.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const rounds = 7;
const appends = { count: 3000, bytesEach: 2048 };
const spec = { count: 50_000, bytes: 100_000_000 };

/** Measures all contenders in turn in each round, so that a busy minute affects all of them. */
async function inTurn(entrants, measureOne) {
  const runs = entrants.map((entrant) => ({ entrant, rounds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const run of runs) run.rounds.push(await measureOne(run.entrant));
  }
  return runs.map(({ entrant, rounds: each }) => ({
    name: entrant.name,
    last: each.at(-1),
    ms: stats(each.map((one) => one.ms)),
    cpuMs: stats(each.map((one) => one.cpuMs)),
  }));
}

function measureAppends(all) {
  const entrants = [{ name: "floor: writeSync, fdatasync" }, ...all];
  return inTurn(entrants, ({ url }) => withTempDir((dir) => inChild("append", { url, dir, ...appends })));
}

/** The floor: writes the same messages as lines to a plain file. */
function plainFile(root) {
  const file = join(root, "plain.jsonl");
  let lines = [];
  for (const message of conversation(spec)) {
    lines.push(`${JSON.stringify(message)}\n`);
    if (lines.length === 1000) {
      appendFileSync(file, lines.join(""));
      lines = [];
    }
  }
  appendFileSync(file, lines.join(""));
  return file;
}

async function measureLoads(all, root) {
  const entrants = [{ name: "floor: find line ends, decode, parse", file: plainFile(root) }];
  for (const [index, { name, url }] of all.entries()) {
    const dir = join(root, String(index));
    mkdirSync(dir);
    await inChild("write", { url, dir, spec });
    entrants.push({ name, url, dir });
  }
  return inTurn(entrants, ({ url, dir, file }) => inChild("load", { url, dir, file }));
}

/**
 * The ratio to the floor, by minimum and by median; a large gap between the two means that the minimum was
 * lucky.
 */
const againstFloor = (rows) => ({
  "ratio to floor, min": (row) => times(row.ms.min / rows[0].ms.min),
  "ratio, median": (row) => times(row.ms.median / rows[0].ms.median),
});

const all = await contenders();
const appended = await measureAppends(all);
const loaded = await withTempDir((root) => measureLoads(all, root));
const appendTable = table(appended, {
  "": (row) => row.name,
  "ms each, min": (row) => figure(row.ms.min),
  median: (row) => figure(row.ms.median),
  "CPU ms": (row) => figure(row.cpuMs.min),
  "bytes written": (row) => figure(Math.round(row.last.bytes)),
  syncs: (row) => figure(row.last.syncs),
  ...againstFloor(appended),
});
const loadTable = table(loaded, {
  "": (row) => row.name,
  "ms, min": (row) => figure(row.ms.min),
  median: (row) => figure(row.ms.median),
  "CPU ms": (row) => figure(row.cpuMs.min),
  entries: (row) => figure(row.last.entries),
  "peak MB": (row) => figure(Math.round(row.last.peakMb)),
  ...againstFloor(loaded),
});
report("append", {
  title: "Appending 2 KB messages, and loading 100 MB",
  tables: [
    `${figure(appends.count)} appends of 2 KB, ${rounds} rounds (an append without a sync is not durable)`,
    appendTable,
    `${figure(spec.count)} messages, 100 MB, all read and parsed; ${rounds} fresh processes each`,
    loadTable,
  ],
  figures: { appended, loaded },
});
