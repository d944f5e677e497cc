import type { Disk } from "../../disk/disk.ts";
import { DurableFolders } from "../../disk/durable-folders.ts";
import { type Processes, realProcesses } from "../../disk/lock/processes.ts";
import { realDisk } from "../../disk/real-disk.ts";
import { Reserve } from "../../disk/reserve.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkOptions, type OptionsOf, option } from "../../record/options.ts";
import { OpenLeases } from "../open-leases.ts";
import { sessionUnknown } from "../session-error.ts";
import { listBlobs, readBlob, writeBlob } from "./blobs.ts";
import { createSession } from "./create.ts";
import { SessionLog } from "./log/session-log.ts";
import { lookingIn } from "./looking/looking.ts";
import { type Home, placesOf, type SessionPlaces, trashFolder } from "./places.ts";
import { publishCheckpoints } from "./publish.ts";
import { rewriteLog } from "./rewrite.ts";
import { scrapsOf } from "./scraps.ts";
import { SessionLocks } from "./session-lease.ts";
import { reading, writing } from "./store-error.ts";
import { emptyTrash, remnants, trashed, trashSession, undeleteSession } from "./trash.ts";
import { verifySession } from "./verify.ts";

export interface FilesStoreOptions {
  /** The folder that holds everything; made when the first session is. */
  readonly root: string;
  readonly clock: Clock;
  /** A log's newest file is due for rotation past this size. */
  readonly rotateBytes?: number;
  readonly disk?: Disk;
  readonly processes?: Processes;
}

const ROTATE_BYTES = 64 * 1024 * 1024;
const MOST_KNOWN = 16;

const storeOptions: OptionsOf<FilesStoreOptions> = {
  call: "openFilesStore",
  kinds: {
    root: option.path,
    clock: option.clock,
    rotateBytes: option.amount,
    disk: option.object,
    processes: option.object,
  },
  needed: ["root", "clock"],
};

/**
 * Keeps each session in a folder of its own, as JSON lines. The methods are asynchronous
 * because the port is; the work is done at once, which was measured to be faster.
 */
export function openFilesStore(options: FilesStoreOptions): LogStore {
  checkOptions(options, storeOptions);
  const {
    root,
    clock,
    disk = realDisk,
    rotateBytes = ROTATE_BYTES,
    processes = realProcesses(root),
  } = options;
  const reserve = new Reserve({ disk, clock, home: root });
  const home = { root, clock, disk, folders: new DurableFolders(disk, root) };
  const logs = new Map<SessionId, SessionLog>();
  const leases = new OpenLeases();
  const locks = new SessionLocks({ disk, clock, processes, root, reserve });

  const logOf = (session: SessionId): SessionLog => {
    const known = logs.get(session);
    if (known !== undefined) return known;
    const log = new SessionLog({
      disk,
      places: placesOf(root, session),
      rotateBytes,
      fence: () => locks.fence(session),
    });
    letGoOfIdle(logs);
    logs.set(session, log);
    return log;
  };
  const letGo = (session: SessionId): void => {
    logs.get(session)?.close();
    logs.delete(session);
  };
  const there = (session: SessionId): SessionPlaces => {
    const places = placesOf(root, session);
    if (disk.stat(places.folder)?.kind !== "folder") throw sessionUnknown(session);
    return places;
  };

  return {
    create: async (first, content = { entries: [], blobs: [] }) => {
      createSession(home, first, content);
      reserve.fill();
    },
    open: async (session) => logOf(session).open(),
    recover: async (session) => logOf(session).recover(),
    append: async (session, expectedSeq, entries) => logOf(session).append(expectedSeq, entries),
    rotationDue: async (session) => logOf(session).rotationDue(),
    rotate: async (session, entry) => logOf(session).rotate(entry),
    read: async (session, from, to) => logOf(session).read(from, to),
    verify: async (session) => {
      const damage = reading({ what: "session", of: session }, () => verifySession(disk, there(session)));
      if (damage.length > 0) logs.get(session)?.distrustIndex();
      return damage;
    },

    ...lookingIn({ ...home, processes, there }),
    lease: async (session, request) => {
      const lease = await locks.acquire(session, request);
      const release = async (): Promise<void> => {
        letGo(session);
        await lease.release();
      };
      return leases.keep({ ...lease, release });
    },

    ...blobsIn(home, there),

    trash: async (session, at) => {
      letGo(session);
      writing({ what: "session", of: session }, () => {
        locks.fence(session);
        trashSession(home, session, at);
      });
      locks.letGo(session);
    },
    undelete: async (session) =>
      writing({ what: "session", of: session }, () => undeleteSession(home, session)),
    listTrash: async () => reading({ what: "trash", of: trashFolder(root) }, () => trashed(home)),
    listRemnants: async () => reading({ what: "other-sessions" }, () => remnants(home)),
    emptyTrash: async (before) => {
      const removed = writing({ what: "trash", of: trashFolder(root) }, () => emptyTrash(home, before));
      reserve.fill();
      return removed;
    },

    scraps: async (session) =>
      reading({ what: "session", of: session }, () => scrapsOf(disk, there(session))),
    rewrite: async (session, replace) => {
      const places = there(session);
      letGo(session);
      writing({ what: "session-log", of: session }, () => {
        locks.fence(session);
        rewriteLog(disk, places, replace);
      });
    },
    // What is replaced is a file of its own, and removed; what a disk does with its free room is beyond a program.
    scrub: async () => undefined,
    publish: async (session, checkpoints) =>
      writing({ what: "checkpoint-list" }, () => publishCheckpoints(disk, there(session), checkpoints)),
    close: async () => {
      for (const session of [...logs.keys()]) letGo(session);
      await leases.giveBack();
    },
  };
}

function blobsIn(
  home: Home,
  there: (session: SessionId) => SessionPlaces,
): Pick<LogStore, "putBlob" | "getBlob" | "listBlobs"> {
  const { disk } = home;
  return {
    putBlob: async (session, bytes) =>
      writing({ what: "new-blob" }, () => writeBlob(home, there(session), bytes)),
    getBlob: async (session, hash) =>
      reading({ what: "blob", of: hash }, () => readBlob(disk, there(session), hash)),
    listBlobs: async (session) => reading({ what: "blob-list" }, () => listBlobs(disk, there(session))),
  };
}

/** A list of a thousand sessions opens them all; what was only read is not remembered for ever. */
function letGoOfIdle(logs: Map<SessionId, SessionLog>): void {
  for (const [session, log] of logs) {
    if (logs.size < MOST_KNOWN) return;
    if (!log.isIdle) continue;
    log.close();
    logs.delete(session);
  }
}
