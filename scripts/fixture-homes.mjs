import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { pack } from "./fixture-homes/pack.mjs";
import { openStage, stageFolder } from "./fixture-homes/stage.mjs";
import { tellStory } from "./fixture-homes/story.mjs";
import { loadHarness } from "./pictures/harness.mjs";
import { root } from "./run-command.mjs";

// Writes test/fixtures/homes/<name>/: homes written by this commit's program, in files and in SQLite,
// together with the program's output for them. Fixtures of older commits are never regenerated, because later
// programs must be able to read them as they are. This script must run as root, because restoring one path must fail.

const { positionals } = parseArgs({ allowPositionals: true });
const [name] = positionals;
if (name === undefined || process.getuid?.() !== 0) {
  console.error("Usage, as root: node scripts/fixture-homes.mjs <name>");
  process.exitCode = 2;
} else {
  await build();
  const harness = await loadHarness();
  for (const store of /** @type {const} */ (["files", "sqlite"])) {
    const stage = await openStage(store, { harness, folder: stageFolder });
    try {
      await tellStory(stage);
      await pack(stage, join(root, "test/fixtures/homes", name, store));
    } finally {
      await stage.stop();
      rmSync(stageFolder, { recursive: true, force: true });
    }
  }
}
