import { report } from "./report.mjs";
import { chosenContenders } from "./snapshots/contenders.mjs";
import { figuresToReach } from "./snapshots/figures-to-reach.mjs";
import { packingNote } from "./snapshots/isolation.mjs";
import { measureSize } from "./snapshots/one-size.mjs";
import { tablesOf } from "./snapshots/tables.mjs";
import { sizes } from "./snapshots/workspace.mjs";
import { withTempDir } from "./temp-dir.mjs";

/** The sizes from the command line or from WORLDLINE_BENCH_SIZES=1k,10k; by default all sizes, smallest first. */
function chosenSizes() {
  const given = process.argv.slice(2).join(",") || process.env.WORLDLINE_BENCH_SIZES || "";
  const wanted = given.split(",").filter((each) => each !== "");
  const unknown = wanted.filter((each) => sizes[each] === undefined);
  if (unknown.length > 0)
    throw new Error(`Unknown size: ${unknown.join(", ")}. Sizes: ${Object.keys(sizes).join(", ")}.`);
  return Object.keys(sizes).filter((each) => wanted.length === 0 || wanted.includes(each));
}

const rounds = Number(process.env.WORLDLINE_BENCH_ROUNDS ?? 5);
const firsts = Number(process.env.WORLDLINE_BENCH_FIRSTS ?? rounds);
const keys = chosenContenders();
const wanted = chosenSizes();
const diskSize = wanted.includes("10k") ? "10k" : wanted[0];
const say = (text) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

const measured = [];
for (const size of wanted) {
  const disk = size === diskSize ? "measure" : "leave";
  measured.push(await withTempDir((root) => measureSize(size, { root, keys, rounds, firsts, disk, say })));
}
const { lines, printed } = figuresToReach(measured);
report("snapshots", {
  title: "File checkpoints, and going back to them",
  tables: [
    `${rounds} rounds and ${firsts} first ${firsts === 1 ? "checkpoint" : "checkpoints"} for each contender. All contenders get the same edits, and their order rotates. ${packingNote}`,
    "No contender is told which paths changed, unless the row says so. Contenders that write into the user's repository have separate object folders, so that they do not find each other's objects.",
    ...measured.flatMap(tablesOf),
    printed,
  ],
  figures: { rounds, firsts, measured, lines },
});
