import { join } from "node:path";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { acquireExclusive, acquireShared } from "../../../src/snapshots/keeping/shared-lease.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";

// Holds a session, or the snapshot store of a home, until it is killed. `namespace` is "own", or the pid
// namespace to pretend to be in.
const [, , home = "", what = "", namespace = "own"] = process.argv;
const real = realProcesses(home);
const processes = namespace === "own" ? real : { ...real, namespace, host: "container" };
const request = { name: "in a container", waitMs: 0 };
const deps = { disk: realDisk, clock: systemClock, processes };
const leases = join(home, "snapshots", "leases");
if (what === "shared") await acquireShared(deps, leases, request);
else if (what === "exclusive") await acquireExclusive(deps, leases, request);
else await openFilesStore({ root: home, clock: systemClock, processes }).lease(what as SessionId, request);
process.stdout.write("holds\n");
setInterval(() => undefined, 60_000);
