import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { crc32, gzip } from "node:zlib";
import type { LogStore } from "../../../ports/log-store.ts";
import type { SnapshotObjects, WhyAbsent } from "../../../ports/snapshot-objects.ts";
import { exportedHeader } from "../../../record/authority.ts";
import { encodeEntry } from "../../../record/codec.ts";
import type { Entry } from "../../../record/entry.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { withoutOutside } from "../../../record/files.ts";
import { type BlobHash, type SessionId, type SnapshotId, toSeq } from "../../../record/ids.ts";
import { checkArguments, checkOptions, option } from "../../../record/options.ts";
import { blobsOf } from "../../../record/shape.ts";
import { withSnapshotId } from "../../files/intervals.ts";
import type { SessionView } from "../../view.ts";
import { snapshotIdsOf } from "./named-snapshots.ts";
import { BUNDLE_VERSION, pieceLines, sealMember, sealRecord } from "./records.ts";

export interface BundleOptions {
  /** The source of the snapshot objects to include. Without this option, the bundle does not contain files. */
  readonly files?: FilesOptions;
}

export interface FilesOptions {
  readonly objects: Pick<SnapshotObjects, "exporting">;
  /**
   * Whether to include files that the workspace ignores. Such files may contain secrets, so they are exported only if
   * the caller requests it.
   */
  readonly ignored: "leave-out" | "include";
  /** Called when all files have been written, with a summary of them. */
  readonly onDone?: (files: ExportedFiles) => void;
}

/** Counts of the session's files in a bundle. */
export interface ExportedFiles {
  readonly snapshots: number;
  /** The number of snapshots that the store had released or could not read. */
  readonly missing: number;
  readonly objects: number;
  /** The number of file contents that were left out, for each reason: ignored, lost, or forgotten. */
  readonly absent: Readonly<Record<WhyAbsent, number>>;
}

const PAGE = 2_000;
/**
 * The approximate size of one gzip member. A bundle consists of several members, so that the whole bundle is never held
 * in memory.
 */
const MEMBER_BYTES = 4 * 1024 * 1024;

const compress = promisify(gzip);

function checkBundle({ files, ...rest }: BundleOptions): void {
  checkOptions<BundleOptions>({ files, ...rest }, { call: "exportBundle", kinds: { files: option.object } });
  if (files === undefined) return;
  checkOptions<FilesOptions>(files, {
    call: "exportBundle, files",
    kinds: {
      objects: option.object,
      ignored: option.oneOf("leave-out", "include"),
      onDone: option.callback,
    },
    needed: ["objects", "ignored"],
  });
}

/**
 * Exports the session as one file: the lines of its log (without files outside the workspace), its blobs, and its
 * snapshots. Does not change the session.
 */
export async function* exportBundle(
  view: SessionView,
  store: LogStore,
  options: BundleOptions = {},
): AsyncGenerator<Uint8Array> {
  checkArguments("exportBundle", { view: [view, option.view], store: [store, option.openStore] });
  checkBundle(options);
  const sum = createHash("sha256");
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  for await (const line of bundleLines(view, store, options)) {
    waiting.push(line);
    waitingBytes += line.length;
    if (waitingBytes < MEMBER_BYTES) continue;
    const member = await compress(Buffer.concat(waiting));
    sum.update(member);
    yield member;
    waiting = [];
    waitingBytes = 0;
  }
  const last = await compress(Buffer.concat(waiting));
  sum.update(last);
  yield last;
  yield sealMember(sum.digest("hex"));
}

async function* bundleLines(
  view: SessionView,
  store: LogStore,
  options: BundleOptions,
): AsyncGenerator<Uint8Array> {
  const { entries, lost, blobs, lostBlobs, snapshots } = await takeStock(view, store);
  yield sealRecord({
    record: "header",
    version: BUNDLE_VERSION,
    session: view.id,
    entries,
    lost,
    blobs: blobs.length,
    lostBlobs,
    ignored: options.files?.ignored === "include" ? "included" : "left-out",
  });
  let records = 1 + entries;
  for await (const entry of storedEntries(view, store)) yield encodeEntry(entry, crc32);
  for (const hash of blobs) {
    for (const line of pieceLines({ record: "blob", hash }, await store.getBlob(view.id, hash))) {
      records += 1;
      yield line;
    }
  }
  const { files } = options;
  for await (const line of files === undefined ? [] : fileLines(files, snapshots)) {
    records += 1;
    yield line;
  }
  yield sealRecord({ record: "end", records });
}

async function* fileLines(
  { objects, ignored, onDone }: FilesOptions,
  snapshots: readonly SnapshotId[],
): AsyncGenerator<Uint8Array> {
  const done = { snapshots: 0, missing: 0, objects: 0, absent: { ignored: 0, forgotten: 0, missing: 0 } };
  for await (const part of snapshots.length === 0 ? [] : objects.exporting({ snapshots, ignored })) {
    switch (part.part) {
      case "snapshots":
        done.snapshots = part.there.length;
        done.missing = part.missing.length;
        yield sealRecord({ record: "files", snapshots: [...part.there], missing: [...part.missing] });
        break;
      case "object":
        done.objects += 1;
        yield* pieceLines({ record: "object", kind: part.kind, hash: part.hash }, part.bytes);
        break;
      case "absent":
        done.absent[part.why] += 1;
        yield sealRecord({ record: "absent", hash: part.hash, why: part.why });
        break;
      default:
        part satisfies never;
    }
  }
  onDone?.(done);
}

interface Stock {
  readonly entries: number;
  readonly lost: readonly number[];
  readonly blobs: readonly BlobHash[];
  readonly lostBlobs: readonly BlobHash[];
  /** The snapshots that the entries refer to, even if they no longer exist. */
  readonly snapshots: readonly SnapshotId[];
}

/** Counts the records in advance, because the header comes first and contains the counts. */
async function takeStock(view: SessionView, store: LogStore): Promise<Stock> {
  const present = new Set<number>();
  const wanted = new Set<BlobHash>();
  const snapshots = new Set<SnapshotId>();
  for await (const entry of storedEntries(view, store)) {
    present.add(entry.seq);
    for (const hash of blobsOf(entry)) wanted.add(hash);
    for (const id of snapshotIdsOf(await withSnapshotId(view, entry))) snapshots.add(id);
  }
  const lost = Array.from({ length: view.outline.length }, (_, index) => index + 1).filter(
    (seq) => !present.has(seq),
  );
  const lostBlobs = new Set<BlobHash>();
  for (const hash of wanted) if (!(await isReadable(store, view.id, hash))) lostBlobs.add(hash);
  const blobs = [...wanted].filter((hash) => !lostBlobs.has(hash)).sort();
  const counts = { entries: present.size, lost, blobs, lostBlobs: [...lostBlobs].sort() };
  return { ...counts, snapshots: [...snapshots] };
}

/**
 * Reads only up to the line where the log ended when the view was opened, because another program may be writing to the
 * log.
 */
async function* storedEntries(view: SessionView, store: LogStore): AsyncGenerator<Entry> {
  yield await firstEntry(view, store);
  for (let from = 2; from <= view.outline.length; from += PAGE) {
    const to = Math.min(from + PAGE - 1, view.outline.length);
    // Files outside the workspace are not exported, because their paths would refer to other files on another machine.
    yield* (await store.read(view.id, toSeq(from), toSeq(to))).map(withoutOutside);
  }
}

/**
 * Returns the first entry. If the first line is lost, the view provides a replacement with the original id, which the
 * second line still contains.
 */
async function firstEntry(view: SessionView, store: LogStore): Promise<Entry> {
  const header = exportedHeader(view.header);
  if (view.outline.at(1) !== undefined) return header;
  const [second] = await store.read(view.id, toSeq(2), toSeq(2));
  return { ...header, id: second?.parent ?? header.id };
}

async function isReadable(store: LogStore, session: SessionId, hash: BlobHash): Promise<boolean> {
  try {
    await store.getBlob(session, hash);
    return true;
  } catch (error) {
    if (isWorldlineError(error, "BLOB_MISSING") || isWorldlineError(error, "BLOB_DAMAGED")) return false;
    throw error;
  }
}
