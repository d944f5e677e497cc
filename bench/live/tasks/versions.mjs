/** The bug: numbers are sorted as text. */
export const task = {
  name: "versions",
  kind: "wrong order",
  files: {
    "versions.mjs": `export function newest(versions) {
  return [...versions].sort().at(-1);
}

export function sorted(versions) {
  return [...versions].sort();
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { newest, sorted } from "./versions.mjs";

assert.equal(newest(["1.9.0", "1.10.0", "1.2.11"]), "1.10.0");
assert.deepEqual(sorted(["2.0.0", "10.0.0", "1.0.10", "1.0.9"]), ["1.0.9", "1.0.10", "2.0.0", "10.0.0"]);
// A prerelease comes before the release of the same number.
assert.deepEqual(sorted(["1.0.0", "1.0.0-rc.2", "1.0.0-rc.10"]), ["1.0.0-rc.2", "1.0.0-rc.10", "1.0.0"]);
`,
  },
  repair: [
    [
      "versions.mjs",
      "export function newest(versions) {\n  return [...versions].sort().at(-1);\n}\n\nexport function sorted(versions) {\n  return [...versions].sort();\n}\n",
      `const numbers = (text) => text.split(/\\D+/u).filter((part) => part !== "").map(Number);

function compare(left, right) {
  const [a, b] = [left, right].map((version) => version.split("-"));
  const byNumber = compareLists(numbers(a[0]), numbers(b[0]));
  if (byNumber !== 0) return byNumber;
  if (a[1] === undefined || b[1] === undefined) return (a[1] === undefined ? 1 : 0) - (b[1] === undefined ? 1 : 0);
  return compareLists(numbers(a[1]), numbers(b[1]));
}

function compareLists(a, b) {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    if ((a[at] ?? 0) !== (b[at] ?? 0)) return (a[at] ?? 0) - (b[at] ?? 0);
  }
  return 0;
}

export function sorted(versions) {
  return [...versions].sort(compare);
}

export function newest(versions) {
  return sorted(versions).at(-1);
}
`,
    ],
  ],
};
