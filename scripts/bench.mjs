import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root, run } from "./run-command.mjs";

const bench = join(root, "bench");
// Arguments select benchmarks: `npm run bench -- append`.
const wanted = process.argv.slice(2);

await build();
let failed = 0;
if (!existsSync(join(bench, "package-lock.json"))) {
  console.error("bench/ has no lockfile, so its peers cannot be installed.");
  failed += 1;
} else {
  // The peers are installed in the versions of bench's own lockfile. (npm does not read the .npmrc of a
  // parent folder, so its settings are repeated here.)
  const { code } = await run("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit"], { cwd: bench });
  failed += code === 0 ? 0 : 1;
}

const files = failed > 0 ? [] : readdirSync(bench).filter((each) => each.endsWith(".bench.mjs"));
const chosen = files
  .filter((file) => wanted.length === 0 || wanted.some((each) => file.includes(each)))
  .sort();
// Benchmarks run one after the other, because simultaneous benchmarks would affect each other.
for (const file of chosen) {
  console.log(`\n== ${file}`);
  const { code } = await run(process.execPath, [file], { cwd: bench });
  if (code !== 0) failed += 1;
}
console.log(`\n${chosen.length} benchmarks run${failed > 0 ? `, ${failed} failed` : ""}`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
