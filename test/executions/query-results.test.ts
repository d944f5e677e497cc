import { Pool, type QueryResult } from "pg";
import { expect, it, vi } from "vitest";
import { openExecution } from "../../src/open-execution.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../support/postgres/postgres.ts";

describeWithPostgres("a step that returns what pool.query gave", () => {
  it("inserts one row, however often it may be retried and the program is started", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const url = await freshPostgres();
    await askPostgres(url, "CREATE TABLE orders (id serial, at timestamptz, total bigint)");
    const pool = new Pool({ connectionString: url });
    const insert = async (): Promise<QueryResult> =>
      pool.query("INSERT INTO orders (at, total) VALUES ('2026-01-01T00:00:00Z', 5) RETURNING *");
    const given: QueryResult[] = [];
    for (let run = 0; run < 3; run += 1) {
      const execution = await openExecution("orders", { store: url });
      given.push(await execution.step("insert", insert, { maxRetries: 3 }));
      await execution.close();
    }
    await pool.end();
    const rows = await askPostgres(url, "SELECT id, at, total FROM orders");
    expect(rows).toEqual([{ id: 1, at: new Date(Date.UTC(2026, 0, 1)), total: "5" }]);
    expect(given[0]).toMatchObject({ command: "INSERT", rowCount: 1, rows });
    expect(given.slice(1)).toEqual([given[0], given[0]]);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});
