import { systemClock } from "../../../../src/disk/system-clock.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";

// Takes over a session whose owner cannot be checked, and exits without releasing it.
const [, , root = "", session = ""] = process.argv;
const store = openFilesStore({ root, clock: systemClock });
await store.lease(session as SessionId, { name: "the heir", waitMs: 0, takeOver: "yes" });
