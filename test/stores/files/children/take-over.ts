import { systemClock } from "../../../../src/disk/system-clock.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";

// Takes a session over from an owner that cannot be asked, and ends without giving it back.
const [, , root = "", session = ""] = process.argv;
const store = openFilesStore({ root, clock: systemClock });
await store.lease(session as SessionId, { name: "the heir", waitMs: 0, takeOver: "yes" });
