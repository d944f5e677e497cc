import { folderCycles } from "./folder-cycles.mjs";
import { installed, run } from "./run-command.mjs";
import { sourceFiles } from "./source-files.mjs";

const folders = ["src", "demo"];

const { code, stdout, output } = await run(
  installed("depcruise"),
  [...folders, "--config", ".dependency-cruiser.mjs", "--output-type", "json"],
  { show: "collect" },
);

/** @type {{ modules: { source: string, dependencies: { resolved: string }[] }[], summary: { violations: { from: string, to: string, rule: { name: string } }[] } } | undefined} */
let report;
try {
  report = JSON.parse(stdout);
} catch {
  console.error(`dependency-cruiser (exit code ${code}) printed no report:\n${output}`);
}

/** @type {string[]} */
const faults = report === undefined ? ["no report"] : [];
if (report !== undefined) {
  for (const { from, to, rule } of report.summary.violations)
    faults.push(`${from} -> ${to} breaks ${rule.name}`);
  // If dependency-cruiser cannot parse TypeScript, it finds no files and reports no faults. The check must
  // not pass then.
  const seen = new Set(report.modules.map((each) => each.source));
  for (const folder of folders) {
    const files = sourceFiles(folder);
    for (const path of files)
      if (!seen.has(path)) faults.push(`${path} was not seen by the boundary checker`);
    if (files.length === 0) faults.push(`there are no modules under ${folder}/`);
  }
}
const imports = (report?.modules ?? [])
  .filter(({ source }) => folders.some((folder) => source.startsWith(`${folder}/`)))
  .flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => /** @type {const} */ ([source, resolved])),
  );
for (const { parent, folders: knot, examples } of folderCycles(imports)) {
  faults.push(
    `${parent}/: {${knot.join(", ")}} import each other:\n${examples.map((each) => `  ${each}`).join("\n")}`,
  );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
