import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Returns the path of a file from another package that Worldline reads or runs as a file. The build copies the file
 * next to the compiled code as `name` (`packageFiles` in scripts/build.mjs), so that the package does not have to be
 * installed. When Worldline runs from its sources, `specifier` is resolved instead.
 */
export function packagedFile(name: string, specifier: string): string {
  const beside = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(specifier);
}
