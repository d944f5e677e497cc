import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { type BundleImport, importBundle } from "../../machine/exchange/bundle/import-bundle.ts";
import type { BundleSource } from "../../machine/exchange/bundle/unpack.ts";
import { importKimi, type KimiImport } from "../../machine/exchange/kimi/import-kimi.ts";
import { findKimiSessions, type KimiSession, kimiHome } from "../../machine/exchange/kimi/kimi-files.ts";
import type { SessionContext } from "../../machine/open.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/home.ts";
import { currentFolder } from "../places/workspace.ts";
import { openSessionDeps, openStore, sessionHeaders } from "./store.ts";

/** Reads standard input to its end, up to a maximum number of bytes. */
type ReadPiped = (maxBytes: number) => Promise<Buffer>;

interface ImportOptions {
  /** The path of a file or a folder; "-" for standard input. */
  readonly path: string;
  /** The format; by default, it is detected. */
  readonly from: "bundle" | "kimi" | undefined;
  readonly readPiped: ReadPiped;
  /** Called after the source has been checked, before the import starts. */
  readonly onBegin: () => void;
}

/** The result of an import. */
export type Imported =
  | ({ readonly from: "bundle" } & BundleImport)
  | ({
      readonly from: "kimi";
      /** Sessions that were imported from the same source earlier. */
      readonly importedBefore: readonly SessionId[];
    } & KimiImport);

/** Imports a session from a bundle or from kimi-cli. */
export async function importSession(
  context: AppContext,
  { path, from, readPiped, onBegin }: ImportOptions,
): Promise<Imported> {
  const options = context.common.workspace === undefined ? {} : { workspace: await context.workspace() };
  const deps = await openSessionDeps(context);
  const source = await openSource(context, path, { from, readPiped });
  onBegin();
  if (source.from === "bundle") {
    return {
      from: "bundle",
      ...(await importWithFiles(context, deps, { ...options, source: source.bundle })),
    };
  }
  const result = await importKimi(deps, source.path, options);
  const importedBefore = (await sessionHeaders(deps.store))
    .filter(({ id, header }) => id !== result.session && header?.imported?.name === result.original)
    .map(({ id }) => id);
  return { from: "kimi", ...result, importedBefore };
}

async function importWithFiles(
  context: AppContext,
  deps: SessionContext,
  { source, ...options }: { readonly source: BundleSource; readonly workspace?: string },
): Promise<BundleImport> {
  // Imported here because most commands do not need this module and start faster without it.
  const { openSnapshotObjects } = await import("../../open-files.ts");
  const objects = openSnapshotObjects({
    home: context.home,
    sessionsIn: deps.store.place,
    name: "worldline sessions import",
    takeOver: context.common.takeOver,
  });
  try {
    return await importBundle(deps, source, { ...options, objects });
  } finally {
    objects.close();
  }
}

/** A kimi-cli session, and the sessions that were already imported from it. */
export interface ImportableSession extends KimiSession {
  readonly importedAs: readonly SessionId[];
}

/** Lists the kimi-cli sessions that can be imported, most recently used first, and the folder that contains them. */
export async function importableSessions(
  context: AppContext,
): Promise<{ readonly folder: string; readonly sessions: readonly ImportableSession[] }> {
  const folder = kimiHome(context.surroundings.environment);
  const imported = new Map<string, SessionId[]>();
  for (const { id, header } of await sessionHeaders(openStore(context))) {
    if (header?.imported?.from !== "kimi-cli") continue;
    const { name } = header.imported;
    imported.set(name, [...(imported.get(name) ?? []), id]);
  }
  const found = await findKimiSessions(folder);
  const sessions = found.map((session) => ({ ...session, importedAs: imported.get(session.name) ?? [] }));
  return { folder, sessions };
}

/**
 * The source of an import. A file is read twice, so that its whole content is checked before anything is written. Piped
 * input is held in memory for the same reason.
 */
type Source =
  | { readonly from: "bundle"; readonly bundle: BundleSource }
  | { readonly from: "kimi"; readonly path: string };

const MAX_PIPED_BYTES = 1024 ** 3;
const PIECE_BYTES = 256 * 1024;
const GZIP_START = "1f8b";
const BRACE_START = /^7b/u;

/**
 * Detects the format of `path`: a folder is a kimi-cli session, compressed data is a bundle, and JSON lines belong to
 * kimi-cli.
 */
async function openSource(
  context: AppContext,
  path: string,
  { from: given, readPiped }: { readonly from: Source["from"] | undefined; readonly readPiped: ReadPiped },
): Promise<Source> {
  if (path === "-") return fromStandardInput(readPiped, given);
  const absolute = resolve(currentFolder(context.surroundings.cwd), path);
  const found = await stat(absolute).catch((cause: unknown) => {
    throw new WorldlineError("import-not-found", { path: absolute, code: systemCode(cause) }, { cause });
  });
  const from = given ?? (found.isFile() ? await kindOf(absolute) : "kimi");
  if (from === "kimi") return { from, path: absolute };
  if (!found.isFile()) throw new WorldlineError("bundle-not-a-file", { path: absolute });
  return { from, bundle: { read: () => piecesOf(absolute) } };
}

async function fromStandardInput(readPiped: ReadPiped, given: Source["from"] | undefined): Promise<Source> {
  if (given === "kimi") {
    throw new WorldlineError("kimi-from-pipe", {});
  }
  return { from: "bundle", bundle: await readPiped(MAX_PIPED_BYTES) };
}

/**
 * Returns the kind of a file. Checks the file name too, so that a damaged kimi-cli file is still recognized. A bundle
 * never has the name of a kimi-cli file.
 */
async function kindOf(path: string): Promise<Source["from"]> {
  const start = await startOf(path);
  if (start === GZIP_START) return "bundle";
  const name = basename(path);
  if (name.includes(".jsonl") || (BRACE_START.test(start) && !name.endsWith(".bundle"))) return "kimi";
  throw new WorldlineError("import-of-unknown-kind", { path });
}

/** Returns the first two bytes of a file, in hexadecimal. */
async function startOf(path: string): Promise<string> {
  try {
    const handle = await open(path, "r");
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
      return buffer.toString("hex", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): WorldlineError {
  return new WorldlineError(
    "import-unreadable",
    { path, why: systemCode(cause) ?? String(cause) },
    { cause },
  );
}
