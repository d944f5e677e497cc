import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { readStill } from "../../../src/stores/sqlite/sqlite-database.ts";
import { isBusy } from "../../../src/stores/sqlite/sqlite-error.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, ManualClock } from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

const clock = new ManualClock();
const NOBODY = 65_534;
const COUNT = "SELECT COUNT(*) AS count FROM worldline_lines";

async function inScene(work: (path: string) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const path = join(folder, "odd ?#%20 名.db");
    const store = openSqliteStore({ path, clock });
    await writtenSession(store);
    await store.close();
    await work(path);
  });
}

describe("a database that no program writes to", () => {
  const cause = new Error("refused");
  const count = async (path: string, meanwhile = () => {}) =>
    readStill({ path, cause }, async (connection) => {
      const rows = connection.all(COUNT);
      meanwhile();
      return rows;
    });

  it("can be read without any other file", async () => {
    await inScene(async (path) => expect(await count(path)).toEqual([{ count: 3 }]));
  });

  it("is not read if something newer is next to it", async () => {
    await inScene(async (path) => {
      writeFileSync(`${path}-wal`, "newer");
      await expect(count(path)).rejects.toBe(cause);
    });
  });

  it("is read again when it changed meanwhile", async () => {
    await inScene(async (path) => {
      const error = await count(path, () => appendFileSync(path, "more")).catch((thrown: unknown) => thrown);
      expect(isBusy(error)).toBe(true);
    });
  });
});

/** What another user's program experiences when it may only read. */
const PROGRAM = `
  import { openSqliteStore } from "./src/stores/sqlite/sqlite-store.ts";
  import { systemClock } from "./src/disk/system-clock.ts";
  const store = openSqliteStore({ path: process.argv[2], clock: systemClock });
  const said = (error) => [error.code, error.message, error.hint];
  const list = await store.list().catch(said);
  const lease = await store.lease("s000000001", { name: "reader", waitMs: 0 }).then(() => "held", said);
  console.log(JSON.stringify({ list, lease }));
`;

async function asReader(path: string, folder: string) {
  const program = join(folder, "program.mjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: "ts" },
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  for (const name of ["libsql", "@libsql", "@neon-rs", "detect-libc"])
    cpSync(join("node_modules", name), join(folder, "node_modules", name), { recursive: true });
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  chmodSync(path, 0o444);
  chmodSync(folder, 0o555);
  try {
    return JSON.parse(
      execFileSync(process.execPath, [program, path], { encoding: "utf8", cwd: folder, ...identity }),
    );
  } finally {
    chmodSync(folder, 0o755);
  }
}

describe("another user's database, in a folder that may not be written", () => {
  it("is read, and refused with the next step where it is to be written", async () => {
    await inScene(async (path) => {
      const folder = join(path, "..");
      const { list, lease } = await asReader(path, folder);
      expect(list).toEqual(["s000000001"]);
      expect(lease).toEqual([
        "STORE_UNWRITABLE",
        expect.stringContaining("could not be written"),
        expect.stringContaining("Check the owner and permissions of"),
      ]);
    });
  });
});
