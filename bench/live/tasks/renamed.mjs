/** The bug: an incomplete rename. */
export const task = {
  name: "renamed",
  kind: "broken import",
  files: {
    "src/money.mjs": `export function formatCents(cents) {
  const sign = cents < 0 ? "-" : "";
  return \`\${sign}\${(Math.abs(cents) / 100).toFixed(2)} EUR\`;
}
`,
    "src/bill.mjs": `import { formatMoney } from "./money.mjs";

export const billLine = ({ name, cents }) => \`\${name}: \${formatMoney(cents)}\`;
`,
    "src/report.mjs": `import * as money from "./money.mjs";
import { billLine } from "./bill.mjs";

export function report(items) {
  const total = items.reduce((sum, { cents }) => sum + cents, 0);
  return [...items.map(billLine), \`total: \${money.formatMoney(total)}\`].join("\\n");
}
`,
    "test.mjs": `import assert from "node:assert/strict";
import { report } from "./src/report.mjs";
import { formatCents } from "./src/money.mjs";

assert.equal(formatCents(-5), "-0.05 EUR");
assert.equal(report([{ name: "tea", cents: 250 }, { name: "back", cents: -100 }]), "tea: 2.50 EUR\\nback: -1.00 EUR\\ntotal: 1.50 EUR");
`,
  },
  repair: [
    ["src/bill.mjs", "formatMoney", "formatCents"],
    ["src/report.mjs", "formatMoney", "formatCents"],
  ],
};
