import { figure, table } from "../table.mjs";

const least = (values) => (values.length === 0 ? Number.NaN : Math.min(...values));
const minOf = (row, name) => row?.figures[name]?.min ?? Number.NaN;
const fastest = (rows, name) =>
  least(rows.map((row) => minOf(row, name)).filter((each) => !Number.isNaN(each)));

/** One required figure and whether it is reached; `bound` says whether the figure is an upper or a lower limit. */
function line(what, { value, bound, ask, unit = "x" }) {
  const reached = bound === "at least" ? value >= ask : value <= ask;
  return {
    what,
    value,
    unit,
    asked: `${bound} ${ask}${unit}`,
    verdict: Number.isNaN(value) ? "not measured" : reached ? "reached" : "NOT reached",
  };
}

const atLeast = (what, value, ask) => line(what, { value, bound: "at least", ask });
const atMost = (what, value, ask) => line(what, { value, bound: "at most", ask });

/** The faster of the two walks, because in a small workspace a second thread costs more than it saves. */
const walkFloor = (floor) => Math.min(floor["walk, 2 threads"].min, floor["walk, 1 thread"].min);

function checkpointLines({ ours, peers, floor }) {
  const known = minOf(ours, "1 edit, path known");
  const found = minOf(ours, "1 edit");
  return [
    atLeast(
      "checkpoint, path known, 1 edit: compared with the fastest peer (which scans)",
      fastest(peers, "1 edit") / known,
      100,
    ),
    atMost(
      "checkpoint, path known, 1 edit: compared with read + hash + append + folders + sync",
      known / floor["1 edit"].min,
      3,
    ),
    atLeast(
      "checkpoint, no path known, 1 edit: compared with the fastest peer",
      fastest(peers, "1 edit") / found,
      2,
    ),
    atMost("checkpoint, no path known, 1 edit: compared with the walk floor", found / walkFloor(floor), 1.5),
    atLeast(
      "checkpoint, no path known, no change: compared with the fastest peer",
      fastest(peers, "no change") / minOf(ours, "no change"),
      2,
    ),
  ];
}

function firstLines({ ours, peers }) {
  const copying = peers.filter(({ copies }) => copies);
  const prompt = minOf(ours, "first, until the prompt may go on");
  return [
    atMost(
      "first checkpoint, until the prompt can continue: compared with the fastest peer",
      prompt / fastest(peers, "first"),
      1,
    ),
    atLeast(
      "first checkpoint, until everything is copied: compared with the fastest peer that copies everything",
      fastest(copying, "first") / minOf(ours, "first"),
      3,
    ),
  ];
}

function restoreLines({ ours, peers, floor }) {
  const walk = walkFloor(floor);
  const lines = [
    ["restore 1", "restore, 1 file", 50],
    ["restore 200", "restore, 100 changed + 50 created + 50 deleted", 3],
  ].flatMap(([row, what, ask]) => {
    const correct = peers.filter(({ wrong }) => wrong[row].files === 0);
    return [
      atMost(`${what}: scan, compared with the walk floor`, minOf(ours, `${row}, scan`) / walk, 1.5),
      atLeast(
        `${what}: the rest, compared with the fastest correct peer's whole restore`,
        fastest(correct, row) / minOf(ours, `${row}, rest`),
        ask,
      ),
    ];
  });
  const wrong =
    ours === undefined
      ? Number.NaN
      : Object.values(ours.wrong).reduce((sum, { files, folders }) => sum + files + folders, 0);
  return [
    ...lines,
    line("restores: wrong paths, including folders", { value: wrong, bound: "at most", ask: 0, unit: "" }),
  ];
}

/** Compares with the smallest contender that has its own repository, even one with borrowed objects. */
function diskLine(sizes) {
  const measured = sizes.find(({ rows }) => rows.some(({ growth }) => growth !== undefined));
  const shadows = measured?.rows.filter(({ keeps }) => keeps === "a shadow repository") ?? [];
  const ours = measured?.rows.find(({ isOurs }) => isOurs);
  const value = (ours?.growth ?? Number.NaN) / least(shadows.map(({ growth }) => growth));
  return atMost(
    `disk blocks for 50 one-file checkpoints (${measured?.size}): compared with the smallest shadow repository`,
    value,
    0.25,
  );
}

function growthLine(sizes) {
  const known = (size) =>
    minOf(
      sizes.find((each) => each.size === size)?.rows.find(({ isOurs }) => isOurs),
      "1 edit, path known",
    );
  return atMost(
    "checkpoint, path known, 1 edit: 100k files compared with 1k files",
    known("100k") / known("1k"),
    3,
  );
}

/** The required figures from facts/speed.md, judged by minimum on the largest workspace of the run. */
export function figuresToReach(sizes) {
  const { size, rows, floor } = sizes.at(-1);
  const sides = {
    ours: rows.find(({ isOurs }) => isOurs),
    peers: rows.filter(({ isOurs }) => !isOurs),
    floor,
  };
  const lines = [
    ...checkpointLines(sides),
    ...firstLines(sides),
    ...restoreLines(sides),
    diskLine(sizes),
    growthLine(sizes),
  ];
  const printed = table(lines, {
    [`figure, at ${size}`]: ({ what }) => what,
    measured: ({ value, unit }) => (Number.isNaN(value) ? "-" : `${figure(value)}${unit}`),
    target: ({ asked }) => asked,
    "": ({ verdict }) => verdict,
  });
  return { lines, printed };
}
