import { setImmediate } from "node:timers/promises";
import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Damage, OpenedLog, Scrap } from "../../ports/log-store.ts";
import { type DecodedLine, decodeLine, encodeEntry, isReadable } from "../../record/codec.ts";
import type { Entry } from "../../record/entry.ts";
import { remark, WorldlineError } from "../../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../../record/ids.ts";
import { blobsOf } from "../../record/shape.ts";
import { Outline } from "../../timeline/outline.ts";
import { blobFault, blobHashes } from "./blobs.ts";
import type { SqlValue, Transaction } from "./database.ts";
import { findRow, rowOf, type SessionRow, type SessionTables } from "./session-tables.ts";

/** The content of a line. The entry is absent if the line cannot be read or is missing. */
interface Found {
  readonly seq: Seq;
  readonly row?: Uint8Array;
  readonly entry?: Entry;
  readonly damage?: Damage;
}

function allOf({ key, nextSeq }: SessionRow): LineRange {
  return { key, from: 1, to: nextSeq - 1 };
}

export async function openLog(transaction: Transaction, row: SessionRow): Promise<OpenedLog> {
  const outline = new Outline();
  const damage: Damage[] = [];
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.entry === undefined) outline.addGap();
    else outline.add(found.entry);
    if (found.damage !== undefined) damage.push(found.damage);
  }
  return { outline, damage };
}

export async function readEntries(transaction: Transaction, range: LineRange): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { seq, line } of linesIn(transaction, range)) {
    const decoded = unpackEntry(line, seq);
    if (decoded.ok) entries.push(decoded.entry);
  }
  return entries;
}

/** Reads every line and blob, and returns the faults. */
export async function verifyLog(transaction: Transaction, row: SessionRow): Promise<Damage[]> {
  const damage: Damage[] = [];
  const wanted = new Set(await blobHashes(transaction, row.key));
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.damage !== undefined) damage.push(found.damage);
    if (found.entry !== undefined) for (const hash of blobsOf(found.entry)) wanted.add(hash);
  }
  for (const hash of [...wanted].sort()) {
    const why = await blobFault(transaction, row.key, hash);
    if (why !== undefined) damage.push({ what: "blob", file: "", line: 0, bytes: 0, ...why });
  }
  return damage;
}

export async function scrapsIn(transaction: Transaction, row: SessionRow): Promise<Scrap[]> {
  const scraps: Scrap[] = [];
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.entry !== undefined || found.row === undefined) continue;
    scraps.push({ name: `line ${found.seq}`, bytes: scrapOf(found.row) });
  }
  return scraps;
}

/** Yields every line in a range, including lines whose row is missing. */
async function* everyLine(transaction: Transaction, range: LineRange): AsyncGenerator<Found> {
  let next = range.from;
  for await (const { seq, line } of linesIn(transaction, range)) {
    for (; next < seq; next += 1) yield gone(next);
    const decoded = unpackEntry(line, seq);
    if (decoded.ok) yield { seq, row: line, entry: decoded.entry };
    else {
      const why = remark("damage-line", { fault: decoded.fault });
      yield { seq, row: line, damage: { what: "line", file: "", line: seq, bytes: line.length, ...why } };
    }
    next = seq + 1;
  }
  for (; next <= range.to; next += 1) yield gone(next);
}

function gone(seq: number): Found {
  const why = remark("damage-line-gone");
  return { seq: seq as Seq, damage: { what: "missing", file: "", line: seq, bytes: 0, ...why } };
}

/** Content that replaces a line that could not be read. */
const NOTHING = new Uint8Array(1);

/** Replaces entries in their rows, and deletes blobs that are no longer referenced. */
export async function rewriteLog(
  tables: SessionTables,
  session: SessionId,
  replace: (entry: Entry) => Entry,
): Promise<void> {
  const before = await tables.lookAt(session, async (_, row) => row);
  await tables.change({
    work: async (transaction) => rewriteRows(transaction, session, replace),
    happened: async (transaction) => {
      const row = await findRow(transaction, session);
      return row?.key === before.key && row.rewrites > before.rewrites ? "rewritten" : undefined;
    },
  });
}

async function rewriteRows(
  transaction: Transaction,
  session: SessionId,
  replace: (entry: Entry) => Entry,
): Promise<"rewritten"> {
  const row = await lockRow(transaction, session);
  const kept = new Set<BlobHash>();
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.row === undefined) continue;
    const line = found.entry === undefined ? NOTHING : lineFor(found.entry, replace(found.entry), kept);
    if (Buffer.compare(line, found.row) === 0) continue;
    await transaction.run("UPDATE worldline_lines SET line = ? WHERE session_key = ? AND seq = ?", [
      line,
      row.key,
      found.seq,
    ]);
  }
  for (const hash of await blobHashes(transaction, row.key)) {
    if (kept.has(hash)) continue;
    await transaction.run("DELETE FROM worldline_blobs WHERE session_key = ? AND hash = ?", [row.key, hash]);
  }
  await transaction.run("DELETE FROM worldline_published WHERE session_key = ?", [row.key]);
  return "rewritten";
}

/** Locks the session's row by changing it, so that appends wait until the lines have been replaced. */
async function lockRow(transaction: Transaction, session: SessionId): Promise<SessionRow> {
  await transaction.run(
    "UPDATE worldline_sessions SET rewrites = rewrites + 1 WHERE id = ? AND trashed_at IS NULL",
    [session],
  );
  return rowOf(transaction, session);
}

function lineFor(entry: Entry, replaced: Entry, kept: Set<BlobHash>): Uint8Array {
  if (replaced.id !== entry.id) {
    throw new WorldlineError("entry-misplaced", { line: entry.seq, seq: replaced.seq });
  }
  for (const hash of blobsOf(replaced)) kept.add(hash);
  return packEntry(replaced, entry.seq);
}

/** A line of a session, as stored in its row. */
interface LineRow {
  readonly seq: Seq;
  readonly line: Uint8Array;
}

interface LineRange {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

/** Approximate size of the result of one query. The size is limited, because a whole log may not fit in memory. */
const PAGE_BYTES = 512 * 1024;
const FIRST_PAGE = 64;
const MAX_ROWS = 1024;
/**
 * Number of rows to handle before yielding to other work in the process. Not every driver yields on its own. Handling
 * this many rows takes a few milliseconds.
 */
const ROWS_A_TURN = 128;
/**
 * Maximum number of rows in one statement. The number of rows in a statement is always a power of two. Any number of
 * rows then needs only a few statements, and only a few different statements have to be prepared.
 */
const MAX_AT_ONCE = 64;

/** Yields the lines of a range in order, reading them page by page. */
export async function* linesIn(transaction: Transaction, range: LineRange): AsyncGenerator<LineRow> {
  let { from } = range;
  let limit = FIRST_PAGE;
  while (from <= range.to) {
    const rows = await transaction.all(
      "SELECT seq, line FROM worldline_lines WHERE session_key = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT ?",
      [range.key, from, range.to, limit],
    );
    let bytes = 1;
    for (const [at, row] of rows.entries()) {
      if (at % ROWS_A_TURN === ROWS_A_TURN - 1) await setImmediate();
      const line = row["line"] as Uint8Array;
      bytes += line.length;
      yield { seq: row["seq"] as Seq, line };
    }
    if (rows.length < limit) return;
    await setImmediate();
    from = (rows.at(-1)?.["seq"] as number) + 1;
    limit = Math.min(MAX_ROWS, Math.max(1, Math.floor((PAGE_BYTES * rows.length) / bytes)));
  }
}

/** Inserts consecutive lines. `first` is the number of the first line. */
export async function insertLines(
  transaction: Transaction,
  place: { readonly key: number; readonly first: number },
  lines: readonly Uint8Array[],
): Promise<void> {
  let at = 0;
  while (at < lines.length) {
    const count = largestPower(Math.min(MAX_AT_ONCE, lines.length - at));
    const values = lines
      .slice(at, at + count)
      .flatMap((line, offset): SqlValue[] => [place.key, place.first + at + offset, line]);
    await transaction.run(insertOf(count), values);
    at += count;
  }
}

const insertTexts = new Map<number, string>();

function insertOf(count: number): string {
  const known = insertTexts.get(count);
  if (known !== undefined) return known;
  const rows = Array.from({ length: count }, () => "(?, ?, ?)").join(", ");
  const text = `INSERT INTO worldline_lines (session_key, seq, line) VALUES ${rows}`;
  insertTexts.set(count, text);
  return text;
}

function largestPower(most: number): number {
  return 2 ** Math.floor(Math.log2(most));
}

/** First byte of a compressed line. All other rows begin with a brace. */
const DEFLATED = 1;
/**
 * Minimum length of a line that is compressed. For shorter lines, the savings are not worth the time and the marker
 * byte.
 */
const SHORTEST = 256;

/** Encodes an entry for its row. Throws if the line could not be read back. */
function packEntry(entry: Entry, seq: number): Uint8Array {
  if (entry.seq !== seq) throw new WorldlineError("entry-misplaced", { line: seq, seq: entry.seq });
  if (!isReadable(entry)) {
    throw new WorldlineError("entry-malformed", { seq: entry.seq, kind: entry.kind });
  }
  return pack(encodeEntry(entry, crc32));
}

/** Encodes the entries of consecutive lines. `first` is the number of the first line. */
export function packEntries(entries: readonly Entry[], first: number): readonly Uint8Array[] {
  return entries.map((entry, at) => packEntry(entry, first + at));
}

/** Decodes the entry in a row. Checks that the entry's number matches its line, because rows can be swapped. */
function unpackEntry(row: Uint8Array, seq: number): DecodedLine {
  const line = unpack(row);
  if (line === undefined) return { ok: false, fault: "checksum" };
  const decoded = decodeLine(line.subarray(0, -1), crc32);
  return decoded.ok && decoded.entry.seq !== seq ? { ok: false, fault: "shape" } : decoded;
}

/** Returns the part of a row that can still be decoded, even though the row is not an entry. */
function scrapOf(row: Uint8Array): Uint8Array {
  if (row[0] !== DEFLATED) return row;
  const whole = unpack(row);
  if (whole !== undefined) return whole;
  // A binary search finds the position where decoding fails. This works because every longer piece fails as well.
  let [good, bad] = [1, row.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (inflate(row.subarray(1, middle), "beginning") === undefined) bad = middle;
    else good = middle;
  }
  return inflate(row.subarray(1, good), "beginning") ?? new Uint8Array();
}

/**
 * Compresses long lines. Without compression, a table takes a third more space than the text in it
 * (docs/decisions/0015).
 */
function pack(line: Uint8Array): Uint8Array {
  if (line.length < SHORTEST) return line;
  const deflated = deflateRawSync(line, { level: 1 });
  if (deflated.length + 1 >= line.length) return line;
  const packed = new Uint8Array(deflated.length + 1);
  packed[0] = DEFLATED;
  packed.set(deflated, 1);
  return packed;
}

function unpack(row: Uint8Array): Uint8Array | undefined {
  return row[0] === DEFLATED ? inflate(row.subarray(1), "whole") : row;
}

function inflate(bytes: Uint8Array, what: "whole" | "beginning"): Uint8Array | undefined {
  try {
    const finishFlush = what === "whole" ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    return inflateRawSync(bytes, { finishFlush });
  } catch {
    return undefined;
  }
}
