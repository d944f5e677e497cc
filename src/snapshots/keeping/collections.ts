import { join } from "node:path";
import { readError, writeError } from "../../disk/disk.ts";
import { readWhole, replaceFile } from "../../disk/durable-files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import type { SnapshotGround } from "../ground.ts";
import type { Refs } from "./refs.ts";

const MARK_BYTES = 16;
const NOTE: Stored = { what: "collections" };

/**
 * Whether a gc has run. What a process remembers of the store is only true until then: gc says so before it removes anything,
 * and whoever captures looks, both while they hold the store's lease.
 */
export class Collections {
  readonly #ground: Pick<SnapshotGround, "disk" | "places" | "clock" | "durable">;
  /** Undefined until the first look: whoever reads before it may have read in the middle of a gc. */
  #seen: string | undefined;
  #peeked: string | undefined;

  constructor(ground: Pick<SnapshotGround, "disk" | "places" | "clock" | "durable">) {
    this.#ground = ground;
  }

  /** "some" once after each time that something was removed. Only for who holds the store's lease: then no gc is under way. */
  sinceLastLook(): "some" | "none" {
    const mark = this.#mark();
    this.#peeked = mark;
    if (mark === this.#seen) return "none";
    this.#seen = mark;
    return "some";
  }

  /**
   * For who only reads, without a lease: "some" once after each time. What is read then may be half of what was and half of
   * what is, so the next look under a lease says "some" all the same.
   */
  sinceLastPeek(): "some" | "none" {
    const mark = this.#mark();
    if (mark === this.#peeked) return "none";
    this.#peeked = mark;
    return "some";
  }

  /** Whether anything was ever removed. */
  ever(): "yes" | "no" {
    return this.#mark() === undefined ? "no" : "yes";
  }

  announce(): void {
    const { places, clock, durable } = this.#ground;
    // A new one each time: whoever has seen the last mark sees that this is another.
    const mark = Buffer.from(clock.random(MARK_BYTES)).toString("hex");
    try {
      durable.make(places.root);
      replaceFile(this.#ground, { path: this.#path, bytes: Buffer.from(mark), content: "synced" });
    } catch (error) {
      throw writeError(error, NOTE);
    }
  }

  get #path(): string {
    return join(this.#ground.places.root, "collected");
  }

  #mark(): string | undefined {
    const { disk } = this.#ground;
    try {
      return disk.stat(this.#path) === undefined ? undefined : readWhole(disk, this.#path).toString("latin1");
    } catch (error) {
      throw readError(error, NOTE);
    }
  }
}

/**
 * The snapshots that gc has let go of. One of them may still stand in a segment that a running program holds, without all that it
 * needs. Read once for each gc; what another program captures again meanwhile counts as let go until the next.
 */
export class LetGo {
  readonly #refs: Refs;
  readonly #captured = new Set<SnapshotId>();
  #known: ReadonlySet<SnapshotId> | undefined;

  constructor(refs: Refs) {
    this.#refs = refs;
  }

  has(snapshot: SnapshotId): boolean {
    if (this.#captured.has(snapshot)) return false;
    this.#known ??= this.#refs.letGo();
    return this.#known.has(snapshot);
  }

  /** It was captured just now: all of it is there again, whether it is kept or not. */
  except(snapshot: SnapshotId): void {
    this.#captured.add(snapshot);
  }

  /** A gc has run. */
  forget(): void {
    this.#known = undefined;
    this.#captured.clear();
  }
}
