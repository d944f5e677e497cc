/**
 * A Markdown table. `columns` maps a heading to the text of a row's cell.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {Record<string, (row: Row) => string | number>} columns
 */
export function table(rows, columns) {
  const headings = Object.keys(columns);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(headings),
    line(headings.map((_, index) => (index === 0 ? "---" : "---:"))),
    ...rows.map((row) => line(headings.map((heading) => String(columns[heading](row))))),
  ].join("\n");
}

/** Formats a number with three significant figures: 0.0312, 4.71, 8,123. */
export function figure(value) {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

export const times = (value) => (Number.isNaN(value) ? "-" : `${figure(value)}x`);
