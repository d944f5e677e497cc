import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { binary, machine, type Said } from "../binary.ts";

const URL_WITH_PASSWORD = "postgres://worldline:tell-nobody@127.0.0.1:9/worldline";
const NEEDED = ["libsql", "@parcel/watcher", "@vscode/ripgrep"];

/** Worldline installed without the `pg` package: the built program with its regular dependencies. */
function installedWithoutPg() {
  const here = machine();
  const app = join(here.home, "..", "app");
  const [dist, root] = [dirname(binary), join(dirname(binary), "..")];
  for (const each of ["cli.js", "cli"])
    cpSync(join(dist, each), join(app, "dist", each), { recursive: true });
  cpSync(join(root, "package.json"), join(app, "package.json"));
  for (const name of NEEDED) {
    mkdirSync(dirname(join(app, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
  }
  return async (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Said> =>
    new Promise((resolve) => {
      const options = { cwd: here.workspace, env: { ...here.environment, ...environment } };
      execFile(process.execPath, [join(app, "dist", "cli.js"), ...args], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
}

describe("Worldline without the package pg", () => {
  it("says what to install if a Postgres store is requested, in whatever way", async () => {
    const worldline = installedWithoutPg();
    const said = await Promise.all([
      worldline(["--store", URL_WITH_PASSWORD, "sessions"]),
      worldline(["sessions"], { WORLDLINE_STORE: URL_WITH_PASSWORD }),
      worldline(["sessions", "--json"], { WORLDLINE_STORE: URL_WITH_PASSWORD, WORLDLINE_DEBUG: "1" }),
    ]);
    for (const { code, stdout, stderr } of said) {
      expect(code).toBe(42);
      expect(stdout + stderr).toContain("The Postgres store needs the pg package, which is not installed.");
      expect(stdout + stderr).toContain("npm install pg");
      expect(stdout + stderr).not.toContain("tell-nobody");
    }
  });

  it("keeps sessions everywhere else", async () => {
    const worldline = installedWithoutPg();
    for (const store of ["files", "sqlite:sessions.db"]) {
      const made = await worldline(["checkpoint", "first"], { WORLDLINE_STORE: store });
      expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
      expect((await worldline(["checkpoints"], { WORLDLINE_STORE: store })).stdout).toContain("[first]");
    }
  });
});
