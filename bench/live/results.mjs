import { figure, table } from "../table.mjs";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const tokensOf = ({ usage }) => usage.input + usage.output;

/** Sums up several attempts in one row. The cost is known only if every attempt's cost is known. */
function rowOf(name, attempts) {
  const costs = attempts.map(({ cost }) => cost);
  return {
    name,
    attempts: attempts.length,
    solved: attempts.filter(({ solved }) => solved === "solved").length,
    steps: sum(attempts.map(({ steps }) => steps)),
    tokens: sum(attempts.map(tokensOf)),
    cost: costs.includes(null) ? null : sum(costs),
    backtracks: sum(attempts.map(({ backtracks }) => backtracks)),
    failed: attempts.filter(({ error }) => error !== undefined).length,
    seconds: sum(attempts.map(({ seconds }) => seconds)),
  };
}

/**
 * A row for each task, and a row with the totals.
 * @param {readonly any[]} attempts all of them with Backtrack, or all without
 */
export function rowsOf(attempts) {
  const names = [...new Set(attempts.map(({ task }) => task))];
  const rows = names.map((name) =>
    rowOf(
      name,
      attempts.filter(({ task }) => task === name),
    ),
  );
  return [...rows, rowOf("all", attempts)];
}

export function resultsTable(rows) {
  return table(rows, {
    task: (row) => row.name,
    solved: (row) => `${row.solved} of ${row.attempts}`,
    steps: (row) => figure(row.steps),
    tokens: (row) => figure(row.tokens),
    "cost, $": (row) => (row.cost === null ? "not known" : row.cost.toFixed(4)),
    backtracks: (row) => figure(row.backtracks),
    "turns that failed": (row) => figure(row.failed),
    seconds: (row) => row.seconds.toFixed(1),
  });
}
