import { figure, table } from "../table.mjs";

const thousands = (value) => `${figure(Math.round(value / 100) / 10)}k`;

export function strategyTable(rows) {
  return table(rows, {
    "": (row) => row.strategy,
    requests: (row) => figure(row.requests),
    "context at the end": (row) => figure(row.context),
    "at its largest": (row) => figure(row.largest),
    "sent in total": (row) => thousands(row.sent),
    "sent again": (row) => figure(row.sentAgain),
    "at best": (row) => figure(row.sentAgainAtBest),
    "sent for a summary": (row) => figure(row.toSummarise),
    read: (row) => thousands(row.read),
    written: (row) => thousands(row.written),
    output: (row) => thousands(row.output),
    cost: (row) => thousands(row.cost),
  });
}

/** The peers' figures are those of the table that the targets come from; ours of the same work stand beside them. */
export function targetsTable(rows) {
  const named = (order, beginning) =>
    rows.find((row) => row.order === order && row.strategy.startsWith(beginning));
  const both = (beginning, value, holds) =>
    ["dead ends first", "spread"].map((order) => {
      const row = named(order, beginning);
      return `${value(row)}${holds === undefined ? "" : holds(row) ? " (reached)" : " (NOT reached)"}`;
    });
  const line = (what, asked, [first, spread]) => ({ what, asked, first, spread });
  const context = (row) => figure(row.context);
  const again = (row) => figure(row.sentAgain);
  const cost = (row) => thousands(row.cost);
  const identical = ({ bytes }) => `${bytes.identical} of ${bytes.afterBacktrack}`;
  const lines = [
    line(
      "backtrack: context at the end",
      "33k within 5 %",
      both("backtrack", context, (row) => Math.abs(row.context - 33_000) <= 1650),
    ),
    line(
      "backtrack: sent again",
      "0",
      both("backtrack", again, (row) => row.sentAgain === 0),
    ),
    line(
      "backtrack: requests behind a backtrack whose recorded bytes up to the target begin an earlier request",
      "all",
      both("backtrack", identical, ({ bytes }) => bytes.identical === bytes.afterBacktrack),
    ),
    line(
      "backtrack: other requests that go on where the one before ended, byte for byte",
      "all",
      both(
        "backtrack",
        ({ bytes }) => `${bytes.extending} of ${bytes.others}`,
        ({ bytes }) => bytes.extending === bytes.others,
      ),
    ),
    line(
      "backtrack: cost",
      "at most 750k",
      both("backtrack", cost, (row) => row.cost <= 750_000),
    ),
    line(
      "backtrack, a model that says aloud what it thinks: context at the end",
      "33k within 5 %",
      both("the same", context, (row) => Math.abs(row.context - 33_000) <= 1650),
    ),
    line(
      "backtrack, a model that says aloud what it thinks: cost",
      "at most 750k",
      both("the same", cost, (row) => row.cost <= 750_000),
    ),
    line("linear: context at the end", "291k expected", both("linear", context)),
    line("compaction at 85 %: context at the end", "150k expected", both("compaction (at", context)),
    line("compaction at 85 %: sent again", "22k expected", both("compaction (at", again)),
    line("compaction at 85 %: cost", "1,831k expected", both("compaction (at", cost)),
    line("tool clearing: context at the end", "75k expected", both("tool clearing", context)),
    line("tool clearing: sent again", "34k expected", both("tool clearing", again)),
  ];
  return table(lines, {
    "": ({ what }) => what,
    asked: ({ asked }) => asked,
    "dead ends first": ({ first }) => first,
    spread: ({ spread }) => spread,
  });
}

export function finderTable(rows) {
  return table(rows, {
    "what broke the test": (row) => row.way,
    "it says": (row) => row.answer,
    "went back": (row) => figure(row.backtracks),
    "context at the end": (row) => figure(row.context),
    "left behind": (row) => figure(row.left),
    "had it all stayed": (row) => figure(row.context + row.left),
  });
}

export function summariesTable(counts) {
  return table([counts], {
    sessions: (row) => figure(row.sessions),
    tried: (row) => figure(row.tried),
    done: (row) => figure(row.done),
    "model calls": (row) => figure(row.calls),
    "stopped until the next prompt": (row) => figure(row.stopped),
    "without progress, beyond two in a row": (row) => figure(row.withoutProgress),
    "too many calls": (row) => figure(row.tooManyCalls),
    "context touched by a failure": (row) => figure(row.touchedOnFailure),
    "context broken": (row) => figure(row.broken),
  });
}

export function killsTable(counts) {
  return table([counts], {
    kills: (row) => figure(row.kills),
    "run again by itself": (row) => figure(row.ranAgain),
    "the person is told": (row) => figure(row.toldPerson),
    "the model is told": (row) => figure(row.toldModel),
    "turn finished afterwards": (row) => figure(row.finished),
  });
}
