import type { Damage, OpenedLog, Scrap } from "../../../ports/log-store.ts";
import type { Entry } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { blobsOf } from "../../../record/shape.ts";
import { Outline } from "../../../timeline/outline.ts";
import { blobFault, blobHashes } from "../blob-rows.ts";
import type { Transaction } from "../database.ts";
import type { SessionRow } from "../ground.ts";
import { type LineRange, linesIn } from "./line-rows.ts";
import { scrapOf, unpackEntry } from "./packed-line.ts";

/** What stands in a line; no entry where it cannot be read, or is not there at all. */
interface Found {
  readonly seq: Seq;
  readonly row?: Uint8Array;
  readonly entry?: Entry;
  readonly damage?: Damage;
}

export function allOf({ key, nextSeq }: SessionRow): LineRange {
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

/** Reads every line and blob, and says what is wrong. */
export async function verifyLog(transaction: Transaction, row: SessionRow): Promise<Damage[]> {
  const damage: Damage[] = [];
  const wanted = new Set(await blobHashes(transaction, row.key));
  for await (const found of everyLine(transaction, allOf(row))) {
    if (found.damage !== undefined) damage.push(found.damage);
    if (found.entry !== undefined) for (const hash of blobsOf(found.entry)) wanted.add(hash);
  }
  for (const hash of [...wanted].sort()) {
    const why = await blobFault(transaction, row.key, hash);
    if (why !== undefined) damage.push({ what: "blob", file: "", line: 0, bytes: 0, why });
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

/** The lines of a range without a gap: where a row is missing, that is found too. */
export async function* everyLine(transaction: Transaction, range: LineRange): AsyncGenerator<Found> {
  let next = range.from;
  for await (const { seq, line } of linesIn(transaction, range)) {
    for (; next < seq; next += 1) yield gone(next);
    const decoded = unpackEntry(line, seq);
    if (decoded.ok) yield { seq, row: line, entry: decoded.entry };
    else {
      const why = `The line cannot be read (${decoded.fault}).`;
      yield { seq, row: line, damage: { what: "line", file: "", line: seq, bytes: line.length, why } };
    }
    next = seq + 1;
  }
  for (; next <= range.to; next += 1) yield gone(next);
}

function gone(seq: number): Found {
  const why = "The line is not there.";
  return { seq: seq as Seq, damage: { what: "missing", file: "", line: seq, bytes: 0, why } };
}
