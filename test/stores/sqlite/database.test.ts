import { join } from "node:path";
import { SqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { sqliteDialect } from "../../../src/stores/sqlite/sqlite-store.ts";
import { ManualClock, tempFolder } from "../../../src/testing/testing.ts";
import { databaseContract } from "../sql/database-contract.ts";

databaseContract("the SQLite database", {
  dialect: sqliteDialect,
  open: () => {
    const folder = tempFolder();
    const path = join(folder.path, "trial.db");
    const opened: SqliteDatabase[] = [];
    const open = () => {
      const database = new SqliteDatabase({ path, clock: new ManualClock() });
      opened.push(database);
      return database;
    };
    return {
      database: open(),
      another: open,
      remove: async () => {
        for (const database of opened) await database.close();
        folder.remove();
      },
    };
  },
});
