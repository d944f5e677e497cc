import { setImmediate } from "node:timers/promises";
import type { Seq } from "../../../record/ids.ts";
import type { SqlValue, Transaction } from "../database.ts";

/** A line of a session, as its row keeps it. */
export interface LineRow {
  readonly seq: Seq;
  readonly line: Uint8Array;
}

export interface LineRange {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

/** About how much one query brings; a log may be larger than memory would like. */
const PAGE_BYTES = 512 * 1024;
const FIRST_PAGE = 64;
const MOST_ROWS = 1024;
/** So many lines take some milliseconds; then everyone else in the process gets a turn, which no driver need give. */
const ROWS_A_TURN = 128;
/** Powers of two, so that any number of rows takes few statements of few different texts. */
const MOST_AT_ONCE = 64;

/** The lines of a range in order, page by page. */
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
    limit = Math.min(MOST_ROWS, Math.max(1, Math.floor((PAGE_BYTES * rows.length) / bytes)));
  }
}

/** Puts lines behind each other, from `first` on. */
export async function insertLines(
  transaction: Transaction,
  place: { readonly key: number; readonly first: number },
  lines: readonly Uint8Array[],
): Promise<void> {
  let at = 0;
  while (at < lines.length) {
    const count = largestPower(Math.min(MOST_AT_ONCE, lines.length - at));
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
