const rows = Array.from({ length: 300 }, (_, index) => {
  const number = index + 1;
  const cents = 100 + ((number * 37) % 900);
  return { id: `item-${number}`, cents, count: number % 7 };
});
const line = ({ id, cents, count }) => `${id};${cents};${count}`;
const total = rows.reduce((sum, { cents, count }) => sum + cents * count, 0);
const good = line(rows[186]);
const bad = good.replace(";", ";1O");

/** The bug: one wrong letter in 300 lines of data; the code only reports that something is not a number. */
export const task = {
  name: "stock",
  kind: "bad data",
  files: {
    "stock.csv": `${rows.map((row) => (line(row) === good ? bad : line(row))).join("\n")}\n`,
    "stock.mjs": `import { readFileSync } from "node:fs";

/** Lines of id;cents;count. A price is never 1,000 cents or more. */
export function value() {
  const lines = readFileSync(new URL("stock.csv", import.meta.url), "utf8").trim().split("\\n");
  const values = lines.map((line) => {
    const [, cents, count] = line.split(";").map(Number);
    return cents * count;
  });
  return values.reduce((sum, each) => sum + each, 0);
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { value } from "./stock.mjs";

assert.equal(readFileSync(new URL("stock.csv", import.meta.url), "utf8").trim().split("\\n").length, 300);
assert.equal(value(), ${total}, "the letter that was typed into a price must go; nothing else is wrong");
`,
  },
  repair: [["stock.csv", bad, good]],
};
