import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Clock } from "../../../ports/clock.ts";
import type { LogStore, SessionContent } from "../../../ports/log-store.ts";
import type { BringRequest, SnapshotObjects } from "../../../ports/snapshot-objects.ts";
import { storedHeader, unsigned, withoutAuthority } from "../../../record/authority.ts";
import { encodeEntry } from "../../../record/codec.ts";
import type { Entry, EntryBase, EntryOf, ImportedFrom, Origin } from "../../../record/entry.ts";
import { type Remark, remark } from "../../../record/error.ts";
import { type EntryId, newEntryId, newSessionId, type SessionId, toSeq } from "../../../record/ids.ts";
import { checkArguments, checkOptions, option } from "../../../record/options.ts";
import { Outline } from "../../../timeline/outline.ts";
import type { SessionContext } from "../../open.ts";
import { checkBundle } from "./check-bundle.ts";
import { keptIn } from "./named-snapshots.ts";
import { type Bundle, objectsOf, readBundle } from "./read-bundle.ts";
import type { BundleSource } from "./unpack.ts";

interface BundleImportOptions {
  /** The folder that the session will work in; by default, the folder specified in the bundle. */
  readonly workspace?: string;
  /** The maximum unpacked size of the log and its long texts. These are held in memory until they are written. */
  readonly maxBytes?: number;
  /** Where to import the bundle's files. Without this option, the files are skipped. */
  readonly objects?: SnapshotObjects;
  /** The maximum unpacked size of all files. Only one file at a time is held in memory. */
  readonly maxFilesBytes?: number;
}

/** Counts of the files that were imported from a bundle. */
interface ImportedFiles {
  readonly snapshots: number;
  /** The number of snapshots that the exporting machine no longer had. */
  readonly missing: number;
  /** The number of objects that this machine did not have before the import. */
  readonly added: number;
  /** The number of file contents that are missing from the bundle, mostly because the workspace ignores these files. */
  readonly absent: number;
}

export interface BundleImport {
  /**
   * "new-id": another session already has the id, so the imported session got a new id. "already-here": the session
   * had been imported before, and nothing was written.
   */
  readonly status: "imported" | "new-id" | "already-here";
  readonly session: SessionId;
  /** The session's id in the bundle. */
  readonly original: SessionId;
  readonly entries: number;
  readonly blobs: number;
  /** Present only if the bundle contains files and the caller passed `objects`. */
  readonly files?: ImportedFiles;
  /** Warnings in English. */
  readonly warnings: readonly string[];
  /** The same warnings with their codes and parameters, so that they can be shown in the user's language. */
  readonly remarks: readonly Remark[];
}

/** 1 GiB is enough for a very long session but still fits in the memory of most machines. */
const MAX_BYTES = 1024 ** 3;
/** 64 GiB is more than the captured files of any session should need. */
const MAX_FILES_BYTES = 64 * 1024 ** 3;
const PAGE = 2_000;

/**
 * Imports a session from a bundle. First checks the whole bundle, then writes the files and protects them from
 * deletion, and finally creates the session, either completely or not at all. If the session is not created, gc removes
 * the files.
 */
export async function importBundle(
  context: SessionContext,
  source: BundleSource,
  options: BundleImportOptions = {},
): Promise<BundleImport> {
  checkArguments("importBundle", { deps: [context, option.deps], source: [source, option.bytes] });
  checkOptions<BundleImportOptions>(options, {
    call: "importBundle",
    kinds: {
      workspace: option.path,
      maxBytes: option.amount,
      objects: option.object,
      maxFilesBytes: option.amount,
    },
  });
  const { objects, maxBytes = MAX_BYTES, maxFilesBytes = MAX_FILES_BYTES } = options;
  const read = await readBundle(source, { maxBytes, maxFilesBytes, check: objects?.checking() });
  const { seal } = read;
  // Removes the entries' authority, because the creator of the bundle must not decide what runs without permission or
  // what a rewind writes outside the workspace.
  const bundle = { ...read.bundle, entries: read.bundle.entries.map(asData) };
  const original = checkBundle(bundle);
  const first = {
    ...wantedHeader(original, bundle, options),
    imported: importedFrom(original.session, context.clock),
  };
  const entries = fillLostLines([first, ...bundle.entries.slice(1)], bundle.header.lost).slice(1);
  const wanted: WantedSession = { first, entries, blobs: bundle.blobs };
  const { status, made, session } = await decide(context, wanted);
  const then = async (): Promise<void> => {
    if (made !== undefined) await context.store.create(made.first, made.content);
  };
  const keep = keptIn({ entries: [first, ...entries], blobs: bundle.blobs, session });
  const files = await bringFiles({ objects, bundle, keep, workspace: first.workspace, then }, () =>
    objectsOf(source, seal),
  );
  const counts = { original: original.session, entries: entries.length + 1, blobs: bundle.blobs.size };
  const remarks = [...remarksOn(bundle, objects), ...(made?.remarks ?? [])];
  return {
    status,
    session,
    ...counts,
    ...(files === undefined ? {} : { files }),
    warnings: remarks.map(({ why }) => why),
    remarks,
  };
}

interface WantedSession {
  readonly first: EntryOf<"session">;
  readonly entries: readonly Entry[];
  readonly blobs: Bundle["blobs"];
}

interface Decided {
  readonly status: BundleImport["status"];
  readonly session: SessionId;
  /** The session to create; undefined if it already exists. */
  readonly made?: {
    readonly first: EntryOf<"session">;
    readonly content: SessionContent;
    readonly remarks: readonly Remark[];
  };
}

async function decide(
  { store, clock }: SessionContext,
  { first, entries, blobs }: WantedSession,
): Promise<Decided> {
  const taken = await whereTaken(store, first.session);
  if (taken === "here" && (await beginsWith(store, first.session, [first, ...entries]))) {
    return { status: "already-here", session: first.session };
  }
  const content = { entries, blobs: [...blobs.values()] };
  if (taken === "free") {
    return { status: "imported", session: first.session, made: { first, content, remarks: [] } };
  }
  const session = newSessionId((count) => clock.random(count));
  return {
    status: "new-id",
    session,
    made: {
      first: { ...first, session },
      content: {
        ...content,
        entries: entries.map((entry) => (entry.kind === "rotated" ? { ...entry, session } : entry)),
      },
      remarks: taken === "trash" ? [remark("bundle-id-in-trash", { session: first.session })] : [],
    },
  };
}

interface BringFilesOptions extends Pick<BringRequest, "keep" | "workspace" | "then"> {
  readonly objects: SnapshotObjects | undefined;
  readonly bundle: Bundle;
}

async function bringFiles(
  { objects, bundle, keep, workspace, then }: BringFilesOptions,
  parts: () => BringRequest["parts"],
): Promise<ImportedFiles | undefined> {
  const { files } = bundle;
  if (objects === undefined || files === undefined) {
    await then();
    return undefined;
  }
  const counts = { snapshots: files.snapshots.length, missing: files.missing.length, absent: files.absent };
  if (files.snapshots.length === 0) {
    await then();
    return { ...counts, added: 0 };
  }
  const there = new Set(files.snapshots);
  const kept = keep.filter(({ snapshot }) => there.has(snapshot));
  return { ...counts, ...(await objects.bring({ parts: parts(), keep: kept, workspace, then })) };
}

/**
 * The header of the imported session. A lost line may have been a checkpoint, so the numbers of lost checkpoints are
 * not reused.
 */
function wantedHeader(
  first: EntryOf<"session">,
  bundle: Bundle,
  options: BundleImportOptions,
): EntryOf<"session"> {
  const { workspace = first.workspace } = options;
  if (bundle.header.lost.length === 0) return { ...first, workspace };
  const outline = new Outline();
  for (const entry of bundle.entries) outline.add(entry);
  const trailing = bundle.header.lost.filter((seq) => seq > outline.length).length;
  return { ...first, workspace, numbersFrom: Math.max(first.numbersFrom, outline.highestNumber + trailing) };
}

async function whereTaken(store: LogStore, session: SessionId): Promise<"free" | "here" | "trash"> {
  if ((await store.list()).includes(session)) return "here";
  return (await store.listTrash()).some((trashed) => trashed.session === session) ? "trash" : "free";
}

/**
 * Checks whether the existing session begins with all of these entries. The session may have been continued since the
 * import.
 */
async function beginsWith(store: LogStore, session: SessionId, entries: readonly Entry[]): Promise<boolean> {
  for (let from = 0; from < entries.length; from += PAGE) {
    const page = entries.slice(from, from + PAGE);
    const here = await store.read(session, toSeq(from + 1), toSeq(from + page.length));
    const isSame = page.every((entry, at) => {
      const other = here[at];
      return (
        other !== undefined &&
        Buffer.from(encodeEntry(comparable(entry), crc32)).equals(encodeEntry(comparable(other), crc32))
      );
    });
    if (!isSame) return false;
  }
  return true;
}

function importedFrom(name: SessionId, clock: Clock): ImportedFrom {
  return { from: "bundle", name, at: new Date(clock.now()).toISOString() };
}

/** Removes an entry's authority, which is valid only in the home that wrote the entry. */
function asData(entry: Entry): Entry {
  const bare = withoutAuthority(unsigned(entry));
  if (bare.kind !== "session") return bare;
  const { confirmation: _never, ...rest } = bare;
  return rest;
}

/** Normalizes an entry, so that an entry from the bundle can be compared with its imported form. */
function comparable(entry: Entry): Entry {
  const bare = asData(entry.kind === "session" ? storedHeader(entry) : entry);
  if (bare.kind !== "session") return bare;
  const { imported: _here, ...rest } = bare;
  return rest;
}

function remarksOn(
  { header, passedOver, files }: Bundle,
  objects: SnapshotObjects | undefined,
): readonly Remark[] {
  const count = objects === undefined ? (files?.snapshots.length ?? 0) : 0;
  return [
    ...(count === 0 ? [] : [remark("bundle-snapshots-skipped", { count })]),
    ...header.lost.map((line) => remark("bundle-line-lost", { line })),
    ...header.lostBlobs.map((hash) => remark("bundle-blob-lost", { hash })),
    ...[...passedOver].map(([record, times]) => remark("bundle-records-unknown", { count: times, record })),
  ];
}

/**
 * Inserts an `error` entry in place of each line that was lost in the exported log. A new log cannot have missing
 * lines, and the loss must stay visible. Where possible, the next entry is used to determine where the lost entry was
 * on the timeline. The same bundle always results in the same entries, so that a second import recognizes the first.
 */
function fillLostLines(entries: readonly Entry[], lost: readonly number[]): Entry[] {
  if (lost.length === 0) return [...entries];
  const isLost = new Set(lost);
  const known = new Set(entries.map((entry) => entry.id));
  const filled: Entry[] = [];
  const rest = [...entries].reverse();
  for (let seq = 1; rest.length > 0 || isLost.has(seq); seq += 1) {
    const next = rest.at(-1);
    if (!isLost.has(seq)) filled.push(rest.pop() as Entry);
    else {
      const standIn = standInFor(seq, { filled, next, known });
      known.add(standIn.id);
      filled.push(standIn);
    }
  }
  return filled;
}

interface Neighbours {
  /** All entries before the lost line, including the ones that were filled in. */
  readonly filled: readonly Entry[];
  readonly next: Entry | undefined;
  readonly known: ReadonlySet<EntryId>;
}

function standInFor(seq: number, { filled, next, known }: Neighbours): Entry {
  const before = filled.at(-1) as Entry;
  // If the entry directly after the lost line has an unknown parent, that parent must be the lost entry.
  const wanted = next?.seq === seq + 1 ? next.parent : null;
  const id = wanted === null || known.has(wanted) ? derivedId(before, seq) : wanted;
  const body: Pick<EntryOf<"error">, "kind" | "code" | "message"> = {
    kind: "error",
    code: "STORE_UNREADABLE",
    message: `Line ${seq} could not be read when this session was exported.`,
  };
  return { seq: toSeq(seq), id, at: before.at, ...placeOf(seq, filled, next), ...body };
}

/**
 * A lost entry's place on the timeline. If the next entry shows that the lost line was a journey, this is the place
 * where the journey ended.
 */
function placeOf(
  seq: number,
  filled: readonly Entry[],
  next: Entry | undefined,
): Pick<EntryBase, "parent" | "origin"> {
  const landing = next?.origin?.[1] === seq ? filled[next.origin[0] - 1] : undefined;
  if (landing !== undefined && next?.origin !== undefined) return { parent: landing.id, origin: next.origin };
  const before = filled.at(-1) as Entry;
  const origin: Origin | undefined = before.origin;
  return { parent: before.id, ...(origin === undefined ? {} : { origin }) };
}

function derivedId(before: Entry, seq: number): EntryId {
  const bytes = createHash("sha256").update(`${before.id} ${seq}`).digest();
  return newEntryId((count) => bytes.subarray(0, count));
}
