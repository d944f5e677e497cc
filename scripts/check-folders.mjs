import { dirname } from "node:path";
import { sourceFiles } from "./source-files.mjs";

const limit = 12;

/** @type {Map<string, number>} */
const sizes = new Map();
for (const path of sourceFiles("src")) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);

const full = [...sizes].filter(([, size]) => size > limit);
for (const [folder, size] of full) {
  console.error(
    `${folder} holds ${size} files; ${limit} is the limit. Give it sub-folders, named after what they do.`,
  );
}
process.exitCode = full.length > 0 ? 1 : 0;
