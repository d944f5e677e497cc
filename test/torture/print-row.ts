/** Prints a one-row table in the form used in docs/torture.md. */
export function printRow(row: Readonly<Record<string, number | string>>): void {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const lines = [line(Object.keys(row)), line(Object.keys(row).map(() => "---")), line(Object.values(row))];
  process.stdout.write(`\n${lines.join("\n")}\n`);
}
