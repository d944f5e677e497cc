import { createHash } from "node:crypto";
import { readWhole, replaceFile } from "../../disk/durable-files.ts";
import { errnoOf } from "../../record/error.ts";
import { folderOf, type PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotContext, WorkspacePlaces } from "../context.ts";
import type { CoverageLimits } from "./coverage.ts";
import { FOLDER_BITS, FOLDER_STATES, FolderMemory, IGNORED, KIND_BITS, META, ROW } from "./folder-memory.ts";

/** A walker's share of the folders, which are divided into `of` equal parts. `part` counts from 0. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

interface Manifest {
  /** A string that the manifest stores for the caller. */
  readonly header: string;
  /** The limits and ignore rules that the walker used. */
  readonly terms: string;
  /** The remembered folders. Each folder comes after its parent folder. */
  readonly folders: readonly FolderMemory[];
}

/**
 * Identifies the format and the byte order, so that a manifest from a machine with a different byte order is rejected.
 */
const MAGIC = 0x574c_4d41_0001;
const HEAD = 7;
const COLUMNS = 8;
const NUMBER = 8;
const HASH = 32;

/**
 * Encodes a manifest. The numbers come first, because they must be aligned to eight bytes. They are followed by the
 * strings, and then by a hash of everything before it.
 */
export function encodeManifest({ header, terms, folders }: Manifest): Buffer {
  const rowNumbers = folders.reduce((sum, folder) => sum + folder.rows.length, 0);
  const texts = [
    Buffer.from(header),
    Buffer.from(terms),
    Buffer.from(folders.map((folder) => folder.path).join("\0"), "latin1"),
    Buffer.from(folders.map((folder) => folder.joined).join("\0"), "latin1"),
  ];
  const numbers = new Float64Array(HEAD + folders.length * COLUMNS + rowNumbers);
  numbers.set([MAGIC, folders.length, rowNumbers, ...texts.map((text) => text.length)]);
  let row = HEAD + folders.length * COLUMNS;
  for (const [index, folder] of folders.entries()) {
    const at = HEAD + index * COLUMNS;
    numbers[at] = folder.rows.length;
    numbers[at + 1] = FOLDER_STATES.indexOf(folder.state);
    numbers[at + 2] = IGNORED.indexOf(folder.ignored);
    numbers[at + 3] = folder.changedAt;
    numbers[at + 4] = folder.modifiedAt;
    numbers[at + 5] = folder.inode;
    numbers[at + 6] = folder.mode;
    numbers.set(folder.rows, row);
    row += folder.rows.length;
  }
  const body = Buffer.concat([Buffer.from(numbers.buffer), ...texts]);
  return Buffer.concat([body, hashOf(body)]);
}

/** Returns the caller's string, or undefined if `decodeManifest` would reject the manifest. */
export function manifestHeader(bytes: Buffer): string | undefined {
  return sectionsOf(bytes)?.header.toString();
}

/**
 * Decodes a manifest. Returns undefined if the manifest is damaged or has a different format. Incorrect data must not
 * be used, because paths that incorrectly appear unchanged would never be captured again.
 */
export function decodeManifest(bytes: Buffer, root: PathBytes, share: Share): Manifest | undefined {
  const sections = sectionsOf(bytes);
  if (sections === undefined) return undefined;
  const { body, header, terms, count, rowNumbers } = sections;
  const folders = foldersOf({
    root,
    share,
    columns: numbersAt(body, HEAD, count * COLUMNS),
    rows: numbersAt(body, HEAD + count * COLUMNS, rowNumbers),
    paths: count === 0 ? [] : sections.paths.toString("latin1").split("\0"),
    names: sections.names.toString("latin1").split("\0"),
  });
  return { header: header.toString(), terms: terms.toString(), folders };
}

interface Sections {
  readonly body: Buffer;
  readonly count: number;
  readonly rowNumbers: number;
  readonly header: Buffer;
  readonly terms: Buffer;
  readonly paths: Buffer;
  readonly names: Buffer;
}

function sectionsOf(bytes: Buffer): Sections | undefined {
  const body = bytes.subarray(0, Math.max(0, bytes.length - HASH));
  if (body.length < HEAD * NUMBER || !hashOf(body).equals(bytes.subarray(body.length))) return undefined;
  const head = numbersAt(body, 0, HEAD);
  const [
    magic,
    count = 0,
    rowNumbers = 0,
    headerLength = 0,
    termsLength = 0,
    pathsLength = 0,
    namesLength = 0,
  ] = head;
  if (magic !== MAGIC) return undefined;
  let at = (HEAD + count * COLUMNS + rowNumbers) * NUMBER;
  const take = (length: number): Buffer => {
    at += length;
    return body.subarray(at - length, at);
  };
  return {
    body,
    count,
    rowNumbers,
    header: take(headerLength),
    terms: take(termsLength),
    paths: take(pathsLength),
    names: take(namesLength),
  };
}

interface Tables {
  readonly root: PathBytes;
  readonly share: Share;
  readonly columns: Float64Array;
  readonly rows: Float64Array;
  readonly paths: readonly PathBytes[];
  readonly names: readonly string[];
}

function foldersOf({ root, share, columns, rows, paths, names }: Tables): FolderMemory[] {
  const folders: FolderMemory[] = [];
  const takes = sharing(share, rows.length + paths.length * ROW);
  let row = 0;
  for (const [index, path] of paths.entries()) {
    const numbers = columns.subarray(index * COLUMNS, (index + 1) * COLUMNS);
    const folder = folderOfNumbers(new FolderMemory(path, root), numbers);
    const length = numbers[0] ?? 0;
    if (takes(folder, length + ROW)) {
      folder.fillFrom(names[index] ?? "", rows.subarray(row, row + length));
      folders.push(folder);
    }
    row += length;
  }
  return folders;
}

function folderOfNumbers(folder: FolderMemory, numbers: Float64Array): FolderMemory {
  const [, state = 0, ignored = 0, changedAt = Number.NaN, modifiedAt = 0, inode = 0, mode = 0] = numbers;
  folder.state = FOLDER_STATES[state] ?? "lost";
  folder.ignored = IGNORED[ignored] ?? "no";
  folder.changedAt = changedAt;
  folder.modifiedAt = modifiedAt;
  folder.inode = inode;
  folder.mode = mode;
  return folder;
}

/**
 * Returns a function that decides whether a folder is part of a share. All shares have about the same weight. An
 * ignored folder is measured as a whole, so it is never divided among walkers.
 */
function sharing({ part, of }: Share, total: number) {
  const ignoredIn = new Map<PathBytes, number>();
  let before = 0;
  return ({ path, ignored }: FolderMemory, weight: number): boolean => {
    const inherited = ignored === "below" ? ignoredIn.get(folderOf(path)) : undefined;
    const owner = inherited ?? Math.floor((before * of) / Math.max(1, total));
    before += weight;
    if (ignored !== "no") ignoredIn.set(path, owner);
    return owner === part;
  };
}

/** Copies the numbers, because they must be aligned, whereas a Buffer can begin at any address. */
function numbersAt(bytes: Buffer, first: number, count: number): Float64Array {
  const from = bytes.byteOffset + first * NUMBER;
  return new Float64Array(bytes.buffer.slice(from, from + count * NUMBER));
}

function hashOf(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/**
 * Joins the manifests that the walkers of one workspace saved. Returns undefined if a manifest is damaged, or if the
 * walkers did not use the same rules. Drops folders that their parents do not list. Marks folders that are missing from
 * all parts, so that they are walked.
 */
export function joinManifests(parts: readonly Buffer[], header: string): Buffer | undefined {
  const manifests: Manifest[] = [];
  for (const part of parts) {
    const manifest = decodeManifest(part, "", { part: 0, of: 1 });
    if (manifest === undefined || manifest.terms !== (manifests[0] ?? manifest).terms) return undefined;
    manifests.push(manifest);
  }
  const byPath = new Map<PathBytes, FolderMemory>();
  for (const folder of manifests.flatMap((manifest) => manifest.folders)) {
    if (folder.state !== "lost" || !byPath.has(folder.path)) byPath.set(folder.path, folder);
  }
  return encodeManifest({ header, terms: manifests[0]?.terms ?? "", folders: connected(byPath) });
}

function connected(byPath: ReadonlyMap<PathBytes, FolderMemory>): FolderMemory[] {
  const root = byPath.get("");
  const folders: FolderMemory[] = [];
  const waiting = root === undefined ? [] : [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders.push(folder);
    for (const path of subfoldersOf(folder)) waiting.push(byPath.get(path) ?? unwalked(path));
  }
  return folders;
}

function unwalked(path: PathBytes): FolderMemory {
  const folder = new FolderMemory(path, "");
  folder.state = "lost";
  return folder;
}

/** Returns the paths of the subfolders, in reverse order. */
export function subfoldersOf(folder: FolderMemory): PathBytes[] {
  const paths: PathBytes[] = [];
  for (let index = folder.rows.length / ROW - 1; index >= 0; index--) {
    if (((folder.rows[index * ROW + META] ?? 0) & KIND_BITS) === FOLDER_BITS) {
      paths.push(folder.pathOf(folder.names[index] ?? ""));
    }
  }
  return paths;
}

/** The conditions under which a manifest is valid. If any condition has changed, the manifest cannot be used. */
interface ManifestHeader {
  readonly root: ObjectHash;
  readonly limits: CoverageLimits;
}

/**
 * Reads the manifest of the last capture. Returns undefined if there is no manifest that can be trusted, in which case
 * everything is checked again.
 */
export function readManifest(
  { disk, objects }: SnapshotContext,
  places: WorkspacePlaces,
  limits: CoverageLimits,
): { readonly root: ObjectHash; readonly bytes: Buffer } | undefined {
  let bytes: Buffer;
  try {
    bytes = readWhole(disk, places.manifest);
  } catch (error) {
    // A manifest that cannot be read is ignored, because it is only a cache.
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
  const header = headerOf(bytes);
  if (
    header === undefined ||
    JSON.stringify(header.limits) !== JSON.stringify(limits) ||
    !objects.has(header.root)
  )
    return undefined;
  return { root: header.root, bytes };
}

export function headerText(header: ManifestHeader): string {
  return JSON.stringify(header);
}

/** Writes the manifest without a sync. A power loss may damage the manifest, but the damage is detected. */
export function writeManifest(context: SnapshotContext, places: WorkspacePlaces, bytes: Uint8Array): void {
  try {
    replaceFile(context, { path: places.manifest, bytes, content: "unsynced" });
  } catch {
    // The error is ignored, because the manifest is only a cache. Without it, the next capture checks everything, but
    // nothing is lost.
  }
}

/** Returns the root folder that a manifest refers to. gc must not remove this folder. */
export function rootOfManifest(bytes: Buffer): ObjectHash | undefined {
  return headerOf(bytes)?.root;
}

function headerOf(bytes: Buffer): ManifestHeader | undefined {
  const text = manifestHeader(bytes);
  // The checksum proves that Worldline wrote the header, so the header's shape is not checked.
  return text === undefined ? undefined : (JSON.parse(text) as ManifestHeader);
}
