import { mkdirSync, writeFileSync } from "node:fs";
import { machine } from "./measure.mjs";

const results = new URL("results/", import.meta.url);

/**
 * Prints a benchmark's tables and saves its figures in results/<name>.json.
 * @param {string} name
 * @param {{ title: string, tables: readonly string[], figures: unknown }} outcome
 */
export function report(name, { title, tables, figures }) {
  console.log([`### ${title}`, machine(), ...tables].join("\n\n"));
  mkdirSync(results, { recursive: true });
  const kept = { name, title, machine: machine(), figures };
  writeFileSync(new URL(`${name}.json`, results), `${JSON.stringify(kept, null, 2)}\n`);
}
