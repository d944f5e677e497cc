import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { isStarted, root } from "./run-command.mjs";
import { sourceFiles } from "./source-files.mjs";
import { measureTrips } from "./trips/measure.mjs";

// Measures how much of src/ three ordinary actions execute. `--list <trip>` prints the files that one action
// executes, each with its line count and number of importers; `--json` prints everything as data.

/** @typedef {import("./trips/measure.mjs").TripName} TripName */

/** @type {Readonly<Record<TripName, string>>} */
const titles = { start: "start to prompt", prompt: "one prompt", rewind: "one /rewind" };

const textOf = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");

/** Counts how many files of src/ import each file; type imports count too. */
function countImporters() {
  /** @type {Map<string, number>} */
  const importers = new Map();
  for (const file of sourceFiles("src")) {
    const specifiers = textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/gu);
    const imported = new Set([...specifiers].map(([, path = ""]) => join(dirname(file), path)));
    for (const each of imported) importers.set(each, (importers.get(each) ?? 0) + 1);
  }
  return importers;
}

/** @param {readonly string[]} paths */
function describeFiles(paths) {
  const importers = countImporters();
  return paths.map((path) => ({
    path,
    lines: textOf(path).split("\n").length - 1,
    importedBy: importers.get(path) ?? 0,
  }));
}

/** @param {{ trip: TripName, files: string[] }} measured */
function describeTrip({ trip, files: paths }) {
  const files = describeFiles(paths);
  return {
    trip,
    files,
    folders: new Set(paths.map((path) => dirname(path))).size,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
  };
}

/** @param {readonly ReturnType<typeof describeTrip>[]} trips */
function table(trips) {
  return [
    "| trip | files | folders | lines in these files |",
    "|---|---:|---:|---:|",
    ...trips.map(
      ({ trip, files, folders, lines }) => `| ${titles[trip]} | ${files.length} | ${folders} | ${lines} |`,
    ),
  ].join("\n");
}

if (isStarted(import.meta.url)) {
  const { values } = parseArgs({ options: { list: { type: "string" }, json: { type: "boolean" } } });
  const known = Object.keys(titles);
  if (values.list !== undefined && !known.includes(values.list)) {
    console.error(`Unknown trip: ${values.list}. Trips: ${known.join(", ")}.`);
    process.exitCode = 2;
  } else {
    const trips = (await measureTrips()).map(describeTrip);
    const shown = trips.filter(({ trip }) => values.list === undefined || trip === values.list);
    if (values.json === true) console.log(JSON.stringify(shown, undefined, 2));
    else if (values.list === undefined) console.log(table(trips));
    else {
      console.log("lines  imported by  file");
      for (const { path, lines, importedBy } of shown.flatMap(({ files }) => files)) {
        console.log(`${String(lines).padStart(5)}  ${String(importedBy).padStart(11)}  ${path}`);
      }
    }
  }
}
