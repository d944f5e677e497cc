import { join } from "node:path";
import type { Clock } from "../ports/clock.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { Disk } from "./disk.ts";
import { removeFile, tryToRemove, writeAll } from "./durable-files.ts";

/** Enough for a lease and for references that are let go; and gc moves what it keeps piece by piece, none larger than this. */
const RESERVE_BYTES = 1024 * 1024;
/** Written again and again: file systems that compress look no further back than this. */
const PATTERN_BYTES = 128 * 1024;

export interface ReserveGround {
  readonly disk: Disk;
  readonly clock: Clock;
  /** The home of Worldline. */
  readonly home: string;
}

/**
 * Room that is set aside, so that what makes room can be done on a full disk: it has to write a little before it can remove
 * anything. A file that means nothing: removed when room is needed, made again when there is some.
 */
export class Reserve {
  readonly #ground: ReserveGround;

  constructor(ground: ReserveGround) {
    this.#ground = ground;
  }

  /** Sets room aside, if that is not done yet and there is enough. Never fails. */
  fill(): void {
    const { disk, clock } = this.#ground;
    try {
      if (disk.stat(this.#path) !== undefined || disk.stat(this.#ground.home) === undefined) return;
      const file = disk.open(this.#path, "create");
      try {
        // Not zeros: file systems that compress would set nothing aside for them.
        const pattern = clock.random(PATTERN_BYTES);
        for (let done = 0; done < RESERVE_BYTES; done += PATTERN_BYTES) writeAll(disk, file, pattern);
      } finally {
        disk.close(file);
      }
    } catch {
      // Without all of its bytes it is of no use, and takes room from those who need it now.
      tryToRemove(disk, this.#path);
    }
  }

  /** Gives the room back to the disk. "none": nothing was set aside. */
  release(): "released" | "none" {
    const { disk } = this.#ground;
    if (disk.stat(this.#path) === undefined) return "none";
    removeFile(disk, this.#path);
    return "released";
  }

  /** Does `work`, and does it again with the room that was set aside if there was none. What is left of that is set aside again. */
  async retryWithRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isWorldlineError(error, "STORE_FULL")) throw error;
      if (this.release() === "none") throw withoutRoom(error);
    }
    try {
      return await work();
    } catch (error) {
      throw isWorldlineError(error, "STORE_FULL") ? withoutRoom(error) : error;
    } finally {
      this.fill();
    }
  }

  get #path(): string {
    return join(this.#ground.home, "reserve");
  }
}

/** What would make room has none itself: then its own name is no advice. */
function withoutRoom(problem: WorldlineError): WorldlineError {
  return new WorldlineError("no-room-to-make-room", { problem }, { cause: problem.cause });
}
