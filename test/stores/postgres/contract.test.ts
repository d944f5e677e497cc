import { it } from "vitest";
import { logStoreContract } from "../../../src/testing/testing.ts";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { postgresSubject } from "./postgres-subject.ts";

logStoreContract("the Postgres store", { describe: describeWithPostgres, it, open: postgresSubject });
