import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contenders } from "./contenders.mjs";
import { inChild } from "./in-child.mjs";
import { stats } from "./measure.mjs";
import { evenMessages } from "./messages.mjs";
import { report } from "./report.mjs";
import { figure, table, times } from "./table.mjs";
import { withTempDir } from "./temp-dir.mjs";

const rounds = 12;
// The first rounds only warm up the code, because an agent that goes back has been running for a while.
const warmUp = 2;
const wrongTurnLength = 10;
const spec = { count: 100_000, bytes: 117_000_000 };
const wrongTurn = [...evenMessages({ count: wrongTurnLength, bytesEach: 1170, seed: 7 })];
const note = "The leak is not in the parser: its buffers are freed. Look at pool.ts, line 112.";

function summarised({ measured, afterReopening = "-" }) {
  const kept = measured.slice(warmUp);
  return {
    ms: stats(kept.map((each) => each.ms)),
    bytes: stats(kept.map((each) => each.bytes)).median,
    syncs: stats(kept.map((each) => each.syncs)).median,
    afterReopening,
  };
}

async function measureAll(all) {
  const rows = [];
  for (const { name, url } of all) {
    for (const withNote of [note, null]) {
      const row = await withTempDir(async (root) => {
        const dir = join(root, "session");
        mkdirSync(dir);
        const marks = { placeAt: spec.count - wrongTurnLength };
        const { place } = await inChild("write", { url, dir, spec, marks });
        return summarised(
          await inChild("going-back", { url, dir, place, note: withNote, wrongTurn, rounds }),
        );
      });
      rows.push({ name: `${name}, ${withNote === null ? "without" : "with"} a note`, ...row });
    }
  }
  const floor = await withTempDir((dir) => inChild("going-back", { dir, rounds: rounds * 10 }));
  return [{ name: "floor: append 200 bytes, fdatasync", ...summarised(floor) }, ...rows];
}

const rows = await measureAll(await contenders());
const floorMs = rows[0].ms.min;
const printed = table(rows, {
  "": (row) => row.name,
  "ms, min": (row) => figure(row.ms.min),
  median: (row) => figure(row.ms.median),
  "bytes written": (row) => figure(row.bytes),
  syncs: (row) => figure(row.syncs),
  "after reopening": (row) => row.afterReopening,
  "ratio to floor": (row) => times(row.ms.min / floorMs),
});
report("going-back", {
  title: "Going back 10 messages in a session of 100,000 (117 MB)",
  tables: [`${rounds - warmUp} rounds in one open session`, printed],
  figures: rows,
});
