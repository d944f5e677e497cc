import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * The build to measure: dist/, or another build with the same layout, to compare a change with the current build.
 */
const built = process.env["WORLDLINE_BENCH_BUILD"] ?? fileURLToPath(new URL("../../dist", import.meta.url));

export const binary = join(built, "cli.js");

/** The scripted model server is part of the published `worldline/testing`. */
export const { openModelServer } = await import(pathToFileURL(join(built, "testing/testing.js")).href);
