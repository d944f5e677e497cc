import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../scripts/postgres-server.mjs";
import { cutConnections, killServer } from "../../crash/server/losing.ts";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { printRow } from "../print-row.ts";

const KILLS = 20;
const CUTS = 200;

describeWithPostgres("a Postgres server with two writers", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "on" });
  });
  afterAll(async () => server.remove());

  it("that is killed 20 times and started again has lost and doubled nothing", async () => {
    const report = await killServer({ server, times: KILLS, seed: 7 });
    printRow({ "server killed": KILLS, ...report });
    expect(report).toMatchObject({ lost: 0, doubled: 0, damage: 0 });
  });

  it("that cuts connections 200 times has lost and doubled nothing", async () => {
    const { cuts, ...report } = await cutConnections({ server, times: CUTS, seed: 8 });
    printRow({ "connections cut": cuts, ...report });
    expect(report).toMatchObject({ lost: 0, doubled: 0, damage: 0 });
  });
});
