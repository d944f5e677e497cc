import { figure, table } from "../table.mjs";
import { thousands } from "./tables.mjs";

const orders = ["dead ends first", "spread"];
const talkative = "the same";
const isNear33k = (row) => Math.abs(row.context - 33_000) <= 1650;
const isCheap = (row) => row.cost <= 750_000;
const context = (row) => figure(row.context);
const again = (row) => figure(row.sentAgain);
const cost = (row) => thousands(row.cost);

/** The required figures; `strategy` is a prefix of a strategy's name. */
const asked = [
  {
    what: "context at the end",
    strategy: "backtrack",
    ask: "33k within 5 %",
    value: context,
    holds: isNear33k,
  },
  { what: "sent again", strategy: "backtrack", ask: "0", value: again, holds: (row) => row.sentAgain === 0 },
  {
    what: "requests after a backtrack that are identical to an earlier request up to the target",
    strategy: "backtrack",
    ask: "all",
    value: ({ bytes }) => `${bytes.identical} of ${bytes.afterBacktrack}`,
    holds: ({ bytes }) => bytes.identical === bytes.afterBacktrack,
  },
  {
    what: "other requests that continue where the previous one ended, byte for byte",
    strategy: "backtrack",
    ask: "all",
    value: ({ bytes }) => `${bytes.extending} of ${bytes.others}`,
    holds: ({ bytes }) => bytes.extending === bytes.others,
  },
  { what: "cost", strategy: "backtrack", ask: "at most 750k", value: cost, holds: isCheap },
  {
    what: "explains its thinking: context at the end",
    strategy: talkative,
    ask: "33k within 5 %",
    value: context,
    holds: isNear33k,
  },
  {
    what: "explains its thinking: cost",
    strategy: talkative,
    ask: "at most 750k",
    value: cost,
    holds: isCheap,
  },
];

/** The baseline figures that the required figures were compared with. */
const expected = [
  { what: "context at the end", strategy: "linear", ask: "291k", value: context },
  { what: "context at the end", strategy: "compaction (at", ask: "150k", value: context },
  { what: "sent again", strategy: "compaction (at", ask: "22k", value: again },
  { what: "cost", strategy: "compaction (at", ask: "1,831k", value: cost },
  { what: "context at the end", strategy: "tool clearing", ask: "75k", value: context },
  { what: "sent again", strategy: "tool clearing", ask: "34k", value: again },
];

/** The required figures, in both orders of the work. */
export function targetsTable(rows) {
  const cell = ({ strategy, value, holds }, order) => {
    const row = rows.find((each) => each.order === order && each.strategy.startsWith(strategy));
    const verdict = holds === undefined ? "" : holds(row) ? " (reached)" : " (NOT reached)";
    return `${value(row)}${verdict}`;
  };
  const nameOf = ({ what, strategy }) =>
    `${strategy === talkative ? "backtrack" : strategy.replace(" (at", " at 85%")}: ${what}`;
  return table([...asked, ...expected], {
    "": nameOf,
    "target, or expected": ({ ask, holds }) => (holds === undefined ? `${ask} expected` : ask),
    [orders[0]]: (line) => cell(line, orders[0]),
    [orders[1]]: (line) => cell(line, orders[1]),
  });
}
