import { crc32 } from "node:zlib";
import type { LogStore } from "../../../ports/log-store.ts";
import { encodeEntry } from "../../../record/codec.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import { newSessionId, type SessionId, toSeq } from "../../../record/ids.ts";
import { Outline } from "../../../timeline/outline.ts";
import type { Ground } from "../../open.ts";
import { checkBundle } from "./check-bundle.ts";
import { fillLostLines } from "./lost-lines.ts";
import { type Bundle, readBundle } from "./read-bundle.ts";

export interface BundleImportOptions {
  /** The folder that the session is to work in; by default the text that the bundle has. */
  readonly workspace?: string;
  /** The most that the bundle may unpack to. All of it is held in memory until it is written. */
  readonly maxBytes?: number;
}

export interface BundleImport {
  /** "new-id": its id was taken by another session, so it got one of its own. "already-here": nothing was written. */
  readonly status: "imported" | "new-id" | "already-here";
  readonly session: SessionId;
  /** What the session is called in the bundle. */
  readonly original: SessionId;
  readonly entries: number;
  readonly blobs: number;
  readonly warnings: readonly string[];
}

/** 1 GiB: room for a very long session, and no danger to most machines. */
const MOST_BYTES = 1024 ** 3;
const PAGE = 2_000;

/** Brings in a session from a bundle. Everything is checked before anything is written; then all of it is, or nothing. */
export async function importBundle(
  ground: Ground,
  bytes: Uint8Array,
  options: BundleImportOptions = {},
): Promise<BundleImport> {
  const { store, clock } = ground;
  const bundle = await readBundle(bytes, options.maxBytes ?? MOST_BYTES);
  const original = checkBundle(bundle);
  const first = wantedHeader(original, bundle, options);
  const entries = fillLostLines([first, ...bundle.entries.slice(1)], bundle.header.lost).slice(1);
  const counts = { original: original.session, entries: entries.length + 1, blobs: bundle.blobs.size };
  const warnings = warningsFor(bundle);
  const taken = await whereTaken(store, first.session);
  if (taken === "here" && (await beginsWith(store, first.session, [first, ...entries]))) {
    return { status: "already-here", session: first.session, ...counts, warnings };
  }
  const content = { entries, blobs: [...bundle.blobs.values()] };
  if (taken === "free") {
    await store.create(first, content);
    return { status: "imported", session: first.session, ...counts, warnings };
  }
  const session = newSessionId((count) => clock.random(count));
  await store.create(
    { ...first, session, imported: { from: "bundle", name: original.session } },
    {
      ...content,
      entries: entries.map((entry) => (entry.kind === "rotated" ? { ...entry, session } : entry)),
    },
  );
  if (taken === "trash")
    warnings.push(`A session ${original.session} is in the trash, so this one got an id of its own.`);
  return { status: "new-id", session, ...counts, warnings };
}

/** A lost line may have been a checkpoint, so its number must not be given again. */
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

/** Whether the session that is here holds all of these entries; it may have gone on since. */
async function beginsWith(store: LogStore, session: SessionId, entries: readonly Entry[]): Promise<boolean> {
  for (let from = 0; from < entries.length; from += PAGE) {
    const page = entries.slice(from, from + PAGE);
    const here = await store.read(session, toSeq(from + 1), toSeq(from + page.length));
    const isSame = page.every((entry, at) => {
      const other = here[at];
      return other !== undefined && Buffer.from(encodeEntry(entry, crc32)).equals(encodeEntry(other, crc32));
    });
    if (!isSame) return false;
  }
  return true;
}

function warningsFor({ header, passedOver }: Bundle): string[] {
  return [
    ...header.lost.map(
      (seq) => `Line ${seq} was lost before the export; an error entry stands in its place.`,
    ),
    ...header.lostBlobs.map((hash) => `A long text was lost before the export (blob ${hash}).`),
    ...[...passedOver].map(
      ([record, times]) =>
        `${times} records of the sort "${record}" were passed over: this version does not know them.`,
    ),
  ];
}
