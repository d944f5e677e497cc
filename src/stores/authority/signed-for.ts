import { isAbsolute, join, relative } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { realDisk } from "../../disk/real-disk.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore, StorePlace } from "../../ports/log-store.ts";
import { AcknowledgedFile } from "../sqlite/acknowledged.ts";
import { storeKey } from "../store-key.ts";
import { confirmedInFiles, confirmedInMemory } from "./confirmed-sessions.ts";
import {
  type EarlierPlace,
  type EarlierSessions,
  earlierInFiles,
  NO_EARLIER_SESSIONS,
} from "./earlier-sessions.ts";
import { fileKey, processKey } from "./home-key.ts";
import { signedStore } from "./signed-store.ts";

export interface SigningHome {
  readonly home: string;
  readonly clock: Clock;
  readonly disk?: Disk | undefined;
}

/** The store for a home: see `signedStore`. Nothing is read or made before it is needed. */
export function signedFor(store: LogStore, { home, clock, disk = realDisk }: SigningHome): LogStore {
  const place = { disk, clock, home, store: storeKey(store.place, home) ?? "files" };
  return signedStore({
    store,
    clock,
    key: fileKey(disk, home),
    confirmed: confirmedInFiles(place),
    earlier: earlierIn(store.place, place),
  });
}

/** What is inside the home only this home writes. Of a SQLite file elsewhere, the home has noted which sessions it wrote to. */
function earlierIn({ kind, name }: StorePlace, place: EarlierPlace): EarlierSessions {
  if (isInside(place.home, { kind, name })) return earlierInFiles(place);
  if (kind !== "sqlite") return NO_EARLIER_SESSIONS;
  const folder = join(place.home, "acknowledged");
  const notes = new AcknowledgedFile({ path: name, folder, clock: place.clock });
  const written = () => [...notes.all()].flatMap(([session, { next }]) => (next > 0 ? [session] : []));
  return earlierInFiles({ ...place, written });
}

const ofThisProcess = processKey();

/** For a store whose sessions are gone with the process. */
export function signedInMemory(store: LogStore, clock: Clock): LogStore {
  const parts = { key: ofThisProcess, confirmed: confirmedInMemory(), earlier: NO_EARLIER_SESSIONS };
  return signedStore({ store, clock, ...parts });
}

/** Only programs of this home write there. */
function isInside(home: string, { kind, name }: Pick<StorePlace, "kind" | "name">): boolean {
  if (kind === "files") return name === home;
  if (kind !== "sqlite") return false;
  const below = relative(home, name);
  return below !== "" && !below.startsWith("..") && !isAbsolute(below);
}
