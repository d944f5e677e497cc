import type { Ground } from "../../machine/open.ts";
import type { Session } from "../../machine/session.ts";
import type { CaptureRequest, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author } from "../../record/entry.ts";
import type { PathChange } from "../../record/files.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import type { Dirty } from "../../snapshots/watch-workspace.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import type { AppContext } from "../context.ts";
import { filesKnownTo } from "../files/known-files.ts";
import { withHeld } from "../sessions/hold.ts";
import type { FilesHolder } from "./files-holder.ts";

export interface KeeperParts {
  readonly context: AppContext;
  readonly ground: Ground;
  readonly files: Pick<FilesHolder, "get">;
  readonly session: SessionId;
  /** Where the log ended when it was last looked at. */
  readonly seen: number;
  /** Whose work the changes are. */
  readonly author: Author;
  /** What others are told while they wait for this one. */
  readonly name: string;
}

/** A checkpoint that was made because files had changed. */
export interface KeptCheckpoint {
  readonly number: number;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Why it is not complete. */
  readonly why?: string;
  /** Since the state before; undefined when there was none to compare with. */
  readonly changes?: readonly PathChange[];
}

type Patience = Pick<CaptureRequest, "onProgress" | "signal">;

/** Makes checkpoints of files that are not as the timeline knows them. Holds the session only while it writes. */
export class Keeper {
  readonly #parts: KeeperParts;
  /** The files as the timeline is known to know them. */
  #last: SnapshotId | undefined;
  #seen: number;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#seen = parts.seen;
  }

  /** Looks where something may have changed. Undefined where nothing has. */
  async keep(dirty: Dirty, patience: Patience = {}): Promise<KeptCheckpoint | undefined> {
    const { context, ground, session: id, name } = this.#parts;
    const files = await this.#parts.files.get();
    const look = dirty === "all" ? "everything" : [...dirty];
    const { snapshot } = await files.capture({ look, ...patience });
    if (snapshot === this.#last) return undefined;
    return withHeld({ context, ground, files, session: id, name }, async (session) => {
      try {
        return await this.#write(session, files, snapshot);
      } finally {
        this.#seen = session.outline.nextSeq;
      }
    });
  }

  async #write(
    session: Session,
    files: WorkspaceFiles,
    found: SnapshotId,
  ): Promise<KeptCheckpoint | undefined> {
    const { author } = this.#parts;
    // Whoever wrote meanwhile may have taken the files somewhere: what was found is then of the past.
    const isPast = session.outline.nextSeq !== this.#seen;
    const now = isPast ? (await files.capture({ look: "everything" })).snapshot : found;
    const before = await filesKnownTo(session);
    if (before === now) {
      this.#last = now;
      return undefined;
    }
    // It was looked at just now; what has changed since, the next look finds.
    const number = await session.checkpoint(undefined, { author, look: [] });
    const at = await session.filesAt(number);
    if (at.state !== "complete" && at.state !== "partial") {
      return { number, state: "none", why: at.state === "none" ? at.why : "they were not captured." };
    }
    const { snapshot, state, why } = at;
    this.#last = snapshot;
    const isThere = before !== undefined && (await files.has(before));
    return {
      number,
      state,
      snapshot,
      ...(why === undefined ? {} : { why }),
      ...(isThere ? { changes: seenChanges(await files.compare(before, snapshot)) } : {}),
    };
  }
}
