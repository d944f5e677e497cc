import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, it } from "vitest";
import { startPostgres } from "../../scripts/postgres-server.mjs";
import { inTempFolder } from "../../src/testing/testing.ts";
import { describeWithPostgres } from "../support/postgres/postgres.ts";

async function isReachable(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** A process that starts a server, prints its address, and then does nothing. */
function starter(temporary: string): ChildProcess {
  const module = fileURLToPath(new URL("../../scripts/postgres-server.mjs", import.meta.url));
  const program = `const { startPostgres } = await import(${JSON.stringify(module)});
    console.log((await startPostgres({ fsync: "off" })).url);
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: temporary },
  });
}

describeWithPostgres("a server of the tests", () => {
  it("is gone with its files when the process that started it is killed", async () => {
    await inTempFolder(async (folder) => {
      // The server may run as another user.
      chmodSync(folder, 0o1777);
      const child = starter(folder);
      const [said] = (await once(child.stdout ?? child, "data")) as [Buffer];
      const url = said.toString().trim();
      expect(await isReachable(url)).toBe(true);
      expect(readdirSync(folder)).toHaveLength(1);
      child.kill("SIGKILL");
      for (let waited = 0; waited < 200 && readdirSync(folder).length > 0; waited += 1) await setTimeout(50);
      expect(readdirSync(folder)).toEqual([]);
      expect(await isReachable(url)).toBe(false);
    });
  });

  it("keeps what it has through a stop and a kill, and leaves nothing when it is removed", async () => {
    const server = await startPostgres({ fsync: "off" });
    const ask = async (text: string): Promise<unknown> => {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query(text);
      await client.end();
      return rows;
    };
    await ask("CREATE TABLE trial AS SELECT 1 AS id");
    await server.stop();
    expect(await isReachable(server.url)).toBe(false);
    await server.start();
    await server.kill();
    await server.start();
    expect(await ask("SELECT id FROM trial")).toEqual([{ id: 1 }]);
    const folder = join(
      String(((await ask("SHOW data_directory")) as { data_directory: string }[])[0]?.data_directory),
      "..",
    );
    await server.remove();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});
