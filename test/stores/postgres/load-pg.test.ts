import { execFile } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { loadPg } from "../../../src/stores/postgres/connections.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

/**
 * Runs the store as the command line bundles it, in its own folder, where `pg` must be installed separately.
 */
async function listSessions(folder: string, packages?: string): Promise<string> {
  const place = join(folder, "worldline");
  mkdirSync(place);
  const source = (path: string) => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));
  await build({
    stdin: {
      contents: `
        import { systemClock } from ${JSON.stringify(source("disk/system-clock.ts"))};
        import { openPostgresStore } from ${JSON.stringify(source("stores/postgres/postgres-store.ts"))};
        const store = openPostgresStore({
          url: "postgres://a@127.0.0.1:1/d", clock: systemClock, patienceMs: 1, packages: process.argv[2],
        });
        const error = await store.list().catch((error) => error);
        console.log(error.code + ": " + error.message + " " + error.hint);`,
      resolveDir: place,
    },
    outfile: join(place, "cli.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["pg"],
    logLevel: "error",
  });
  const words = packages === undefined ? [] : [packages];
  const run = promisify(execFile);
  return (await run(process.execPath, [join(place, "cli.mjs"), ...words], { cwd: folder })).stdout.trim();
}

const ABSENT =
  "INPUT_INVALID: The Postgres store needs the pg package, which is not installed. Install it where Worldline is installed: run `npm install pg` in the same project, or `npm install -g pg` if Worldline was installed with -g.";

/** A fake `pg` package; loading it throws an error that names its folder. */
function putPackage(folder: string): void {
  const place = join(folder, "node_modules", "pg");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{"name":"pg","main":"pg.cjs"}');
  writeFileSync(join(place, "pg.cjs"), `throw new Error("the one of ${folder.split("/").at(-1)}");`);
}

describe("the package pg", () => {
  it("where it is absent, is named with how to install it", async () => {
    await inTempFolder(async (folder) => expect(await listSessions(folder)).toBe(ABSENT));
  });

  it("is found next to Worldline, however that is installed", async () => {
    const installed = fileURLToPath(new URL("../../../node_modules", import.meta.url));
    await inTempFolder(async (folder) => {
      for (const name of ["pg", "pg-connection-string", "pg-pool", "pg-protocol", "pg-types", "pgpass"]) {
        cpSync(join(installed, name), join(folder, "node_modules", name), { recursive: true });
      }
      for (const name of [
        "pg-int8",
        "postgres-array",
        "postgres-bytea",
        "postgres-date",
        "postgres-interval",
        "xtend",
        "split2",
      ]) {
        cpSync(join(installed, name), join(folder, "node_modules", name), { recursive: true });
      }
      expect(await listSessions(folder)).toContain("STORE_UNREACHABLE");
    });
  });

  it("of the current folder is not run unless the caller names that folder", async () => {
    await inTempFolder(async (folder) => {
      const project = join(folder, "project");
      putPackage(project);
      expect(await listSessions(folder)).toBe(ABSENT);
    });
    await inTempFolder(async (folder) => {
      const project = join(folder, "project");
      putPackage(project);
      expect(await listSessions(folder, project)).toContain("cannot be loaded: the one of project");
    });
  });

  it("is not called absent where it is there and broken", async () => {
    await inTempFolder(async (folder) => {
      putPackage(folder);
      expect(await listSessions(folder)).toMatch(
        /^INPUT_INVALID: The pg package is installed but cannot be loaded/u,
      );
    });
  });

  it("is the one of this project here", async () => {
    expect((await loadPg()).Pool).toBeTypeOf("function");
  });
});
