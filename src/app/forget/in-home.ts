import { type FileHandle, lstat, open, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { DATABASE_HEAD_BYTES, isOwnDatabase } from "../../disk/own-database.ts";
import type { ForgetRequest } from "../../machine/forget/request.ts";
import { TextForms } from "../../machine/forget/text-forms.ts";
import { BESIDE_DATABASE } from "../../record/files.ts";
import type { SessionId } from "../../record/ids.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import { countTyped, dropOutputs, forgetTyped, outputsWith, systemCode } from "../places/home.ts";

/** The places in Worldline's home, outside of sessions and snapshots, that contain the text. */
export interface HomeFinding {
  /** Number of matching lines in the input history. */
  readonly typed: number;
  /** Number of matching long outputs from sessions that are stored in a database. */
  readonly outputs: number;
  /** Other files, such as settings. The user has to change them, because `forget` does not touch them. */
  readonly others: readonly string[];
  /** Files and folders that could not be read. */
  readonly unreadable: readonly string[];
  /** Databases that may contain sessions but are not the store that is searched. */
  readonly databases: readonly string[];
}

export interface Searched {
  readonly home: string;
  readonly store: StoreAddress;
}

const NOTHING: HomeFinding = { typed: 0, outputs: 0, others: [], unreadable: [], databases: [] };
const PIECE_BYTES = 4 * 1024 * 1024;
/** Maximum size of a bundle that is unpacked. A larger bundle is searched without being unpacked. */
const LARGEST_UNPACKED = 64 * 1024 * 1024;

/**
 * Searches Worldline's home for the text. Finds nothing for a path, because only sessions and snapshots record which
 * content belongs to which file.
 */
export async function findInHome(searched: Searched, request: ForgetRequest): Promise<HomeFinding> {
  if (request.what === "path") return NOTHING;
  const forms = new TextForms(request.text);
  const { home } = searched;
  const isIn = (content: string | Buffer): boolean => forms.isIn(content);
  const others: string[] = [];
  const unreadable: string[] = [];
  const databases = await copiesOfStore(searched);
  const ofStore = await filesOfStore(searched);
  for (const { path, identity } of await filesBelow(home, unreadable)) {
    if (ofStore.has(identity) || isSearchedElsewhere(searched, path)) continue;
    const found = await lookInto(path, forms);
    if (found === "found" || forms.isIn(relative(home, path))) others.push(path);
    if (found === "unreadable") unreadable.push(path);
    if (found === "database") databases.push(path);
  }
  const outputs = await outputsWith(home, isIn);
  const shown = (paths: readonly string[]) => paths.map((path) => forms.eraseFrom(path).erased);
  return {
    ...{ typed: await countTyped(home, isIn), outputs: outputs.length },
    ...{ others: shown(others), unreadable: shown(unreadable), databases: shown([...new Set(databases)]) },
  };
}

/**
 * Removes the text from Worldline's own files. `sessions`: the sessions that contained the text. The result lists the
 * places that still contain the text.
 */
export async function forgetInHome(
  searched: Searched,
  request: ForgetRequest,
  sessions: readonly SessionId[],
): Promise<HomeFinding> {
  const { home } = searched;
  const before = await findInHome(searched, request);
  if (request.what === "text") {
    const forms = new TextForms(request.text);
    const found = await outputsWith(home, (bytes) => forms.isIn(bytes));
    await dropOutputs(home, [...sessions, ...found.map(({ session }) => session)]);
    await forgetTyped(home, (text) => forms.isIn(text));
    await removeCaches(home, forms);
  } else await dropOutputs(home, sessions);
  const { others, unreadable, databases } = await findInHome(searched, request);
  return { ...before, others, unreadable, databases };
}

/** Checks whether `forgetInHome` would remove anything. */
export function canClean({ typed, outputs }: HomeFinding): boolean {
  return typed + outputs > 0;
}

/** Removes the manifests that contain the text. Manifests are caches that list file names. */
async function removeCaches(home: string, forms: TextForms): Promise<void> {
  const folder = join(home, "snapshots", "workspaces");
  for (const name of await namesIn(folder)) {
    const manifest = join(folder, name, "manifest");
    if ((await lookInto(manifest, forms)) === "found") await rm(manifest, { force: true });
  }
}

const IN_SESSION =
  /^(?:sessions|trash)\/[^/]+\/(?:log\.jsonl(?:\.\d+|\.torn-\d+)?(?:\.new)?$|session\.json(?:\.new)?$|index$|blobs\/|checkpoints\/metadata|outputs\/)/u;
const IN_STORES =
  /^(?:history|outputs|snapshots\/segments|snapshots\/refs)\/|^snapshots\/workspaces\/[^/]+\/manifest$/u;

/**
 * Checks whether another search already covers a file: as part of the store or the snapshots, as input history, or as a
 * cache.
 */
function isSearchedElsewhere({ home, store }: Searched, path: string): boolean {
  const name = relative(home, path).replaceAll("\\", "/");
  return IN_STORES.test(name) || (store.kind === "files" && IN_SESSION.test(name));
}

/**
 * Identifies the database's files by device and inode, so that links to them are recognized. These files must not be
 * opened, because closing one of them would release all locks that SQLite holds on it.
 */
async function filesOfStore({ store }: Searched): Promise<ReadonlySet<string>> {
  if (store.kind !== "sqlite") return new Set();
  const path = await realpath(store.path).catch(() => store.path);
  const files = ["", ...BESIDE_DATABASE].map(async (end) => stat(`${path}${end}`).catch(() => undefined));
  return new Set((await Promise.all(files)).flatMap((file) => (file === undefined ? [] : identityOf(file))));
}

function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/** Finds the copies of the database that were saved next to it because its -wal file had been lost. */
async function copiesOfStore({ store }: Searched): Promise<string[]> {
  if (store.kind !== "sqlite") return [];
  const folder = dirname(store.path);
  const names = await namesIn(folder);
  return names
    .filter((name) => name.startsWith(`${basename(store.path)}.saved-`))
    .map((name) => join(folder, name));
}

interface HomeFile {
  readonly path: string;
  readonly identity: string;
}

/** Lists the files in a folder and in the folders below it. Adds the folders that cannot be read to `unreadable`. */
async function filesBelow(folder: string, unreadable: string[]): Promise<readonly HomeFile[]> {
  const found: HomeFile[] = [];
  for (const name of await namesIn(folder, unreadable)) {
    const path = join(folder, name);
    const there = await lstat(path).catch(() => undefined);
    if (there?.isDirectory() === true) found.push(...(await filesBelow(path, unreadable)));
    else if (there?.isFile() === true) found.push({ path, identity: identityOf(there) });
  }
  return found;
}

async function namesIn(folder: string, unreadable: string[] = []): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    if (systemCode(error) !== "EACCES") throw error;
    unreadable.push(folder);
    return [];
  });
}

type Look = "found" | "absent" | "database" | "unreadable";

async function lookInto(path: string, forms: TextForms): Promise<Look> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "absent" : "unreadable";
  }
  try {
    return await lookIntoOpen(file, path, forms);
  } catch {
    return "unreadable";
  } finally {
    await file.close();
  }
}

/** Reads the file in chunks that overlap, because a bundle may be larger than the available memory. */
async function lookIntoOpen(file: FileHandle, path: string, forms: TextForms): Promise<Look> {
  const { size } = await file.stat();
  let rest = Buffer.alloc(0);
  for (let position = 0; position < size; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) break;
    const piece = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    if (position === 0 && isOwnDatabase(piece.subarray(0, DATABASE_HEAD_BYTES))) return "database";
    if (forms.isIn(piece)) return "found";
    rest = piece.subarray(Math.max(0, piece.length - forms.longestBytes));
    position += bytesRead;
  }
  return size <= LARGEST_UNPACKED && (await isInPacked(path, forms)) ? "found" : "absent";
}

async function isInPacked(path: string, forms: TextForms): Promise<boolean> {
  const bytes = await readFile(path);
  try {
    return forms.isIn(gunzipSync(bytes));
  } catch {
    // Most files are not packed.
    return false;
  }
}
