import type { Disk } from "../../../disk/disk.ts";
import type { EncodedEntries } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { type EntryId, type Seq, toSeq } from "../../../record/ids.ts";
import { isJourney, legOf, rowOf } from "../../../timeline/row.ts";
import type { IndexDraft } from "../index/draft.ts";
import { extendIndex } from "../index/index-file.ts";
import type { LoadedLog } from "../loading/load.ts";
import type { SessionPlaces } from "../places.ts";
import { LiveFile } from "./live-file.ts";
import type { Place, Positions } from "./positions.ts";

interface LogGround {
  readonly disk: Disk;
  readonly places: SessionPlaces;
  /** Throws if the right to write is another's by now. */
  readonly fence: () => void;
}

/** What is known of a log from its last loading, and of what was appended since. */
export class WrittenLog {
  readonly positions: Positions;
  readonly #disk: Disk;
  readonly #places: SessionPlaces;
  readonly #fence: () => void;
  readonly #draft: IndexDraft;
  #live: LiveFile;
  #liveNumber: number;
  #indexBytes: number;
  #head: { readonly id: EntryId; readonly seq: Seq } | undefined;
  /** Whether the live file ends with a whole line. */
  readonly endsClean: boolean;
  #isOurs = false;

  constructor({ disk, places, fence }: LogGround, loaded: LoadedLog) {
    const live = loaded.files.files.find((file) => file.number === loaded.files.liveNumber);
    this.positions = loaded.reading.positions;
    this.#disk = disk;
    this.#places = places;
    this.#fence = fence;
    this.#draft = loaded.reading.draft;
    const { end, tail } = loaded.live;
    const identity = live?.identity ?? "";
    this.#live = new LiveFile(disk, places.log, { end, size: end + tail.length, identity }, fence);
    this.#liveNumber = loaded.files.liveNumber;
    this.#indexBytes = loaded.indexBytes;
    this.#head = loaded.reading.outline.head;
    this.endsClean = loaded.tailIs === "empty";
  }

  /** Only the one writer of a session writes its index. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** From now on we are the writer. An index that nobody can believe goes at once, so that nobody does. */
  claim(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    const isStale = this.#indexBytes === 0 && this.#disk.stat(this.#places.index) !== undefined;
    if (isStale || this.#draft.hasFullChunk) this.#extendIndex();
  }

  get live(): LiveFile {
    return this.#live;
  }

  get liveNumber(): number {
    return this.#liveNumber;
  }

  get nextSeq(): Seq {
    return toSeq(this.positions.length + 1);
  }

  /** Returns when all lines are durable: one write, one sync. */
  append(entries: readonly Entry[], { bytes, lengths }: EncodedEntries): void {
    let offset = this.#live.end;
    this.#live.append(bytes);
    for (const [at, entry] of entries.entries()) {
      const length = lengths[at] ?? 0;
      this.#take(entry, { file: this.#liveNumber, offset, length: length - 1 });
      offset += length;
    }
    if (this.#draft.hasFullChunk) this.#extendIndex();
  }

  /** A new live file was put in the place of the old one, and `entry` is its first line. */
  beginFile(entry: Entry, line: Uint8Array): void {
    const identity = this.#disk.stat(this.#places.log)?.identity ?? "";
    const { length } = line;
    const known = { end: length, size: length, identity };
    this.#live = new LiveFile(this.#disk, this.#places.log, known, this.#fence);
    this.#liveNumber += 1;
    this.#take(entry, { file: this.#liveNumber, offset: 0, length: length - 1 });
  }

  close(): void {
    if (this.#isOurs) this.#extendIndex();
    this.#live.close();
  }

  #take(entry: Entry, place: Place): void {
    this.positions.add(place);
    const parent = this.#parentOf(entry);
    if (parent === undefined) this.#draft.stop();
    else this.#draft.addRow(rowOf(entry, { parent, leg: legOf(entry) }), place);
    this.#head = entry;
  }

  /** The line of the entry's parent, where it can be told without asking the whole outline. */
  #parentOf(entry: Entry): number | undefined {
    if (entry.parent === null) return 0;
    if (entry.parent === this.#head?.id) return this.#head.seq;
    // Only a journey stands elsewhere than below the head, and it says where.
    const place = isJourney(entry.kind) ? entry.origin?.[0] : undefined;
    return place === undefined || this.positions.at(place) === undefined ? undefined : place;
  }

  #extendIndex(): void {
    const chunks = this.#draft.takeChunks();
    // With nothing to put in its place, an old index still tells how many lines there were.
    if (chunks.length === 0 && (this.#indexBytes > 0 || this.#draft.isStopped)) return;
    try {
      this.#fence();
      this.#indexBytes = extendIndex(this.#disk, this.#places, { sound: this.#indexBytes, chunks });
    } catch {
      // The index can be made again from the log at any time; no append fails on its account.
      this.#draft.stop();
    }
  }
}
