import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("../..", import.meta.url));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs what `npm test` has built; npm would build it first, which other tests that use it would not survive. Into `folder`, or, without one,
 * only says what would be packed.
 */
export function pack(folder?: string): Packed {
  const where = folder === undefined ? ["--dry-run"] : ["--pack-destination", folder];
  const said = execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...where], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(said)[0];
}
