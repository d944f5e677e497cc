import type { Session } from "../../../machine/session.ts";
import type { Seen } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { branchOf } from "../../../timeline/branch.ts";

/** What the model knows of files, on this branch: going back forgets what was read on the way. */
export interface SeenFiles {
  /** The sha256 in hex of a file's bytes as the model saw it last; undefined when it never did. The path is a real one. */
  shaOf(path: string): Promise<string | undefined>;
}

/**
 * What the model knows of files, read off the branch: going back forgets what was read on the way, and a session that
 * is resumed remembers.
 */
export class BranchSeenFiles {
  readonly #session: Session;
  /** Entries never change, so each is read once, whatever the branch. */
  readonly #byLine = new Map<Seq, readonly Seen[]>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** The sha256 of the file as the model saw it last on this branch; undefined when it never did. */
  async shaOf(path: string): Promise<string | undefined> {
    const lines = branchOf(this.#session.outline).flatMap((row) => (row.kind === "tool-end" ? row.seq : []));
    await this.#learn(lines.filter((line) => !this.#byLine.has(line)));
    for (const line of lines.toReversed()) {
      const seen = this.#byLine.get(line)?.find((file) => file.path === path);
      if (seen !== undefined) return seen.sha256;
    }
    return undefined;
  }

  async #learn(lines: readonly Seq[]): Promise<void> {
    for (const entry of await this.#session.storedEntries(lines)) {
      if (entry.kind === "tool-end") this.#byLine.set(entry.seq, entry.seen ?? []);
    }
  }
}
