import { systemClock } from "../../../src/disk/system-clock.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { writeUntilKilled } from "../sql/killing/write-until-killed.ts";

// Runs as a process of its own until it is killed.
const [, , path = "", session = ""] = process.argv;
await writeUntilKilled(openSqliteStore({ path, clock: systemClock }), session as SessionId);
