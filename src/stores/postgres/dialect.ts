import type { Dialect } from "../sql/database.ts";

/** Of no meaning but that nobody else locks it. */
const MIGRATING = 7_205_759_403_792_793;

export const postgresDialect: Dialect = {
  name: "postgres",
  bytes: "BYTEA",
  whole: "BIGINT",
  clustered: "",
  // Not information_schema, which hides what the user may not read: that is refused, and not made anew.
  columns: `SELECT tables.relname AS "table", columns.attname AS "column"
    FROM pg_catalog.pg_class AS tables
    JOIN pg_catalog.pg_attribute AS columns ON columns.attrelid = tables.oid
    WHERE left(tables.relname, 10) = 'worldline_' AND tables.relkind IN ('r', 'p', 'v')
    AND columns.attnum > 0 AND NOT columns.attisdropped AND pg_catalog.pg_table_is_visible(tables.oid)`,
  alone: [`SELECT pg_advisory_xact_lock(${MIGRATING})`],
};
