import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The command that runs the sample's test in the sample's folder. It needs only Node, and takes about 50 ms. */
export const SAMPLE_TEST: readonly [string, ...string[]] = ["node", "test.mjs"];

interface SampleFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode?: number;
}

const catalogue = Array.from({ length: 40 }, (_, index) => `  item${index}: ${100 + index},`).join("\n");

const files: readonly SampleFile[] = [
  { path: "package.json", content: '{ "name": "sample-shop", "private": true, "type": "module" }\n' },
  { path: ".gitignore", content: ".env\nnode_modules/\n" },
  { path: ".env", content: "CURRENCY=EUR\n" },
  { path: "README.md", content: "# A small shop\n\nPrices are whole cents.\n\nRun `node test.mjs`.\n" },
  { path: "flags.json", content: '{ "bulkDiscount": false }\n' },
  {
    path: "src/prices.mjs",
    content: `/** In cents. */\nexport const prices = {\n${catalogue}\n};\n\nexport function priceOf(item) {\n  return prices[item];\n}\n`,
  },
  {
    path: "src/tax.mjs",
    content:
      "/** In percent. */\nexport const RATE = 20;\n\nexport function taxOn(cents) {\n  return Math.round((cents * RATE) / 100);\n}\n",
  },
  {
    path: "src/discount.mjs",
    content:
      "/** Ten of a kind are cheaper. */\nexport function discountOn(cents, count) {\n  return count >= 10 ? Math.round(cents / 10) : 0;\n}\n",
  },
  {
    path: "src/cart.mjs",
    content: `import { readFileSync } from "node:fs";
import { discountOn } from "./discount.mjs";
import { priceOf } from "./prices.mjs";
import { taxOn } from "./tax.mjs";

const flags = JSON.parse(readFileSync(new URL("../flags.json", import.meta.url), "utf8"));

/** The total price, with tax. */
export function total(lines) {
  let sum = 0;
  for (const { item, count } of lines) {
    const cents = priceOf(item) * count;
    sum += flags.bulkDiscount ? cents - discountOn(cents, count) : cents;
  }
  return sum + taxOn(sum);
}

export function describe(lines) {
  return lines.map(({ item, count }) => \`\${count} x \${item}\`).join(", ");
}
`,
  },
  { path: "tools/print.sh", content: '#!/bin/sh\necho "$1"\n', mode: 0o755 },
  // The first byte is the version of the table.
  { path: "data/rounding.bin", content: Uint8Array.from([1, 0, 255, 128, 7, 0]) },
  {
    path: "test.mjs",
    content: `import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { describe, total } from "./src/cart.mjs";

assert.equal(total([{ item: "item0", count: 2 }]), 240);
assert.ok([1440, 1296].includes(total([{ item: "item20", count: 10 }])));
assert.equal(describe([{ item: "item1", count: 3 }]), "3 x item1");
assert.match(readFileSync(".env", "utf8"), /^CURRENCY=[A-Z]{3}$/m);
assert.equal(readFileSync("data/rounding.bin")[0], 1);
accessSync("tools/print.sh", constants.X_OK);
`,
  },
];

/** Writes a small project, whose test passes, into an empty folder. */
export function makeSample(folder: string): void {
  for (const { path, content, mode = 0o644 } of files) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    chmodSync(place, mode);
  }
}
