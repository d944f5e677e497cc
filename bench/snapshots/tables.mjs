import { figure, table } from "../table.mjs";

const both = ({ figures }, row) =>
  figures[row] === undefined ? "-" : `${figure(figures[row].min)} / ${figure(figures[row].median)}`;
const megabytes = (bytes) => (bytes === undefined ? "-" : figure(bytes / 1e6));

function correctness({ wrong }) {
  const { files, folders } = wrong["restore 200"];
  const empty = folders === 0 ? "" : `, ${folders} empty folder${folders === 1 ? "" : "s"} left`;
  return files === 0 ? `yes${empty}` : `no: ${files} paths wrong${empty}`;
}

/**
 * Rows for Worldline only, because no other contender accepts the paths of changed files or reports its
 * phases.
 */
const ownRows = {
  "checkpoint, 1 edit, path known (the peers are not given the path, so they scan)": "1 edit, path known",
  "first checkpoint, until the prompt can continue (the prompt is durable, and the files are copied afterward; a shell waits for the whole copy)":
    "first, until the prompt may go on",
  "first checkpoint, until everything has been examined": "first, until all has been looked at",
  "first checkpoint, until everything is copied": "first",
  "restore 1: scan": "restore 1, scan",
  "restore 1: the rest": "restore 1, rest",
  "restore 100 + 50 + 50: scan": "restore 200, scan",
  "restore 100 + 50 + 50: the rest": "restore 200, rest",
};

/** Renders the tables of one size as Markdown. */
export function tablesOf({ size, rows, floor }) {
  const main = table(rows, {
    [`${size}, ms, min / median`]: (row) => row.name,
    "first (s)": ({ figures }) =>
      `${figure(figures.first.min / 1000)} / ${figure(figures.first.median / 1000)}`,
    "copies?": ({ copies }) => (copies ? "yes" : "borrows"),
    "1 edit": (row) => both(row, "1 edit"),
    "CPU ms, 1 edit": (row) => figure(row.figures["1 edit, processor"].min),
    "100 edits": (row) => both(row, "100 edits"),
    "no change": (row) => both(row, "no change"),
    "restore 1": (row) => both(row, "restore 1"),
    "restore 100 + 50 + 50": (row) => both(row, "restore 200"),
    "restored correctly?": correctness,
    "MB after first": (row) => megabytes(row.afterFirst),
    "MB for 50 checkpoints": (row) => megabytes(row.growth),
  });
  const floors = table(Object.entries(floor), {
    [`${size}, floors`]: ([name]) => name,
    "ms, min": ([, { min }]) => figure(min),
    median: ([, { median }]) => figure(median),
  });
  const ours = rows.find(({ isOurs }) => isOurs);
  if (ours === undefined) return [main, floors];
  const own = table(Object.entries(ownRows), {
    [`${size}, ${ours.name}`]: ([name]) => name,
    "ms, min / median": ([, row]) => both(ours, row),
  });
  return [main, own, floors];
}
