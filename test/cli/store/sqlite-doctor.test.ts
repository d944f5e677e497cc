import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../support/workshop.ts";

const PAGE = 16_384;

async function examined() {
  const shop = workshop();
  const database = join(shop.root, "sessions.db");
  const store = ["--store", `sqlite:${database}`];
  shop.put("a.txt", "one\n");
  await shop.data([...store, "checkpoint", "first"]);
  const doctor = async () => {
    const { code, stdout } = await shop.worldline([...store, "doctor", "--json"]);
    const found = JSON.parse(stdout).checks.filter(
      ({ about, status }: Record<string, string>) => about === "store" && status !== "ok",
    );
    return { code, found };
  };
  return { database, doctor };
}

describe("worldline doctor, of a SQLite file", () => {
  it("says that others may read it", async () => {
    const { database, doctor } = await examined();
    chmodSync(database, 0o644);
    expect(await doctor()).toEqual({
      code: 0,
      found: [
        {
          about: "store",
          status: "warning",
          message: `Other users on this machine can read ${database}, including everything in its sessions (mode 0644).`,
          hint: `To prevent that: chmod 600 ${database}*`,
        },
      ],
    });
  });

  it.each(["every page but the first", "one page"])("names the damage of %s", async (what) => {
    const { database, doctor } = await examined();
    const bytes = readFileSync(database);
    const pages = bytes.length / PAGE;
    for (let page = what === "one page" ? pages - 1 : 1; page < pages; page += 1)
      bytes.fill(0xaa, page * PAGE, (page + 1) * PAGE);
    writeFileSync(database, bytes);
    const { code, found } = await doctor();
    expect(code).toBe(1);
    expect(found.at(-1)).toEqual({
      about: "store",
      status: "error",
      message: expect.stringContaining(`${database} is damaged`),
      hint: expect.stringContaining(".recover"),
    });
  });
});
