import { systemClock } from "../../../src/disk/system-clock.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { writeUntilKilled } from "../sql/killing/write-until-killed.ts";

// Runs as a process of its own until it is killed.
const [, , url = "", session = ""] = process.argv;
await writeUntilKilled(openPostgresStore({ url, clock: systemClock }), session as SessionId);
