import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("../..", import.meta.url));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs the build that `npm test` has made. (npm would build again first and break other tests that use the
 * build.) Without `folder`, only lists what would be packed.
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
