/** The bug: off by one, so the last, shorter page is lost. */
export const task = {
  name: "paging",
  kind: "off by one",
  files: {
    "pages.mjs": `export function pageCount(items, size) {
  return Math.floor(items.length / size);
}

export function page(items, size, number) {
  if (number < 1 || number > pageCount(items, size)) throw new RangeError(\`No page \${number}\`);
  return items.slice((number - 1) * size, number * size);
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { page, pageCount } from "./pages.mjs";

const items = Array.from({ length: 23 }, (_, index) => index);
assert.equal(pageCount(items, 10), 3);
assert.deepEqual(page(items, 10, 3), [20, 21, 22]);
assert.equal(pageCount([], 10), 0);
assert.equal(pageCount(items.slice(0, 20), 10), 2);
assert.throws(() => page(items, 10, 4), RangeError);
`,
  },
  repair: [["pages.mjs", "Math.floor", "Math.ceil"]],
};
