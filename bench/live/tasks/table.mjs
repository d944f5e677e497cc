/** The bug: a parser that handles only half of the format. */
export const task = {
  name: "table",
  kind: "parser",
  files: {
    "csv.mjs": `/** Comma-separated values: fields may be quoted, a quote inside is written twice, lines end with \\n or \\r\\n. */
export function parse(text) {
  return text
    .split("\\n")
    .filter((line) => line !== "")
    .map((line) => line.split(","));
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { parse } from "./csv.mjs";

assert.deepEqual(parse("a,b\\nc,d\\n"), [["a", "b"], ["c", "d"]]);
assert.deepEqual(parse('"x, y",z\\r\\n'), [["x, y", "z"]]);
assert.deepEqual(parse('"say ""no""",\\n'), [['say "no"', ""]]);
assert.deepEqual(parse('"two\\nlines",end'), [["two\\nlines", "end"]]);
`,
  },
  repair: [
    [
      "csv.mjs",
      `  return text
    .split("\\n")
    .filter((line) => line !== "")
    .map((line) => line.split(","));
`,
      `  const rows = [];
  let row = [];
  let field = "";
  let isQuoted = false;
  const endRow = () => {
    if (row.length > 0 || field !== "") rows.push([...row, field]);
    row = [];
    field = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) field += sign;
    else if (sign === ",") {
      row.push(field);
      field = "";
    } else if (sign === "\\n") endRow();
    else if (sign !== "\\r") field += sign;
  }
  endRow();
  return rows;
`,
    ],
  ],
};
