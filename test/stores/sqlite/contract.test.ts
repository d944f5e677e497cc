import { describe, it } from "vitest";
import { logStoreContract } from "../../../src/testing/testing.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

logStoreContract("the SQLite store", { describe, it, open: () => sqliteSubject() });
