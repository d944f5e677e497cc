import type { Dialect } from "../sql/database.ts";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  bytes: "BLOB",
  whole: "INTEGER",
  clustered: " WITHOUT ROWID",
  columns: `SELECT tables.name AS "table", columns.name AS "column"
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND substr(tables.name, 1, 10) = 'worldline_'`,
  // There is one writer at a time anyway.
  alone: [],
};
