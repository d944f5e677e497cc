import type { Processes } from "../../../disk/lock/processes.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { SessionId } from "../../../record/ids.ts";
import { type Home, type SessionPlaces, sessionsFolder } from "../places.ts";
import { holderOf } from "../session-lease.ts";
import { reading } from "../store-error.ts";
import { listSessions } from "./listed.ts";
import { piecesOf, stampOf } from "./pieces.ts";

interface LookingGround extends Pick<Home, "disk" | "root"> {
  readonly processes: Processes;
  /** The session's places; throws where there is none. */
  readonly there: (session: SessionId) => SessionPlaces;
}

/** What can be told of sessions without opening them. */
export function lookingIn(
  ground: LookingGround,
): Pick<LogStore, "place" | "list" | "stamp" | "sizes" | "holder"> {
  const { disk, root, there } = ground;
  return {
    place: { kind: "files", name: root, reach: "machine" },
    list: async (filter = {}) =>
      reading({ what: "session-list", of: sessionsFolder(root) }, () => listSessions(ground, filter)),
    stamp: async (session) => reading({ what: "session", of: session }, () => stampOf(disk, there(session))),
    sizes: async (session) => reading({ what: "session", of: session }, () => piecesOf(disk, there(session))),
    holder: async (session) => holderOf(ground, there(session)),
  };
}
