import { type Seq, toSeq } from "../../../record/ids.ts";

/** Where a line's bytes are. File 0 is the header's copy, 1 and up are the log's files. */
export interface Place {
  readonly file: number;
  readonly offset: number;
  /** Without the newline. */
  readonly length: number;
}

const FIRST_ROOM = 1024;

/** Where every line of a log is, by `seq`. In typed arrays: as objects, 200,000 would weigh more than the outline. */
export class Positions {
  #files = new Uint16Array(FIRST_ROOM);
  #offsets = new Float64Array(FIRST_ROOM);
  #lengths = new Uint32Array(FIRST_ROOM);
  #count = 0;

  get length(): number {
    return this.#count;
  }

  add(place: Place): void {
    if (this.#count === this.#files.length) this.reserve(this.#count * 2);
    this.#files[this.#count] = place.file;
    this.#offsets[this.#count] = place.offset;
    this.#lengths[this.#count] = place.length;
    this.#count += 1;
  }

  /** A line that cannot be read keeps its number. */
  addGap(): void {
    this.add({ file: 0, offset: 0, length: 0 });
  }

  at(seq: number): Place | undefined {
    const length = this.#lengths[seq - 1] ?? 0;
    if (seq > this.#count || length === 0) return undefined;
    return { file: this.#files[seq - 1] ?? 0, offset: this.#offsets[seq - 1] ?? 0, length };
  }

  /** The lines `from` to `to` that have a place. */
  between(from: number, to: number): Placed[] {
    const found: Placed[] = [];
    for (let seq = Math.max(1, from); seq <= Math.min(to, this.#count); seq += 1) {
      const length = this.#lengths[seq - 1] ?? 0;
      if (length === 0) continue;
      const file = this.#files[seq - 1] ?? 0;
      found.push({ seq: toSeq(seq), file, offset: this.#offsets[seq - 1] ?? 0, length });
    }
    return found;
  }

  /** Makes room for so many lines at once. */
  reserve(room: number): void {
    if (room <= this.#files.length) return;
    const files = new Uint16Array(room);
    files.set(this.#files);
    this.#files = files;
    const offsets = new Float64Array(room);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const lengths = new Uint32Array(room);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
  }
}

export interface Placed extends Place {
  readonly seq: Seq;
}
