import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { link, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import {
  type ExportedFiles,
  exportBundle,
  type FilesOptions,
} from "../../machine/exchange/bundle/export-bundle.ts";
import { exportJson } from "../../machine/exchange/export-json.ts";
import { exportMarkdown } from "../../machine/exchange/export-markdown.ts";
import type { MarkdownTexts } from "../../machine/exchange/markdown-blocks.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { type AppContext, heard } from "../context.ts";
import { systemCode } from "../places/home.ts";
import { currentFolder } from "../places/workspace.ts";

/** Whether an existing file is kept or replaced. */
type Existing = "keep" | "replace";

/**
 * Returns the path of the file to write. Performs all checks that do not require writing, because the export may take a
 * long time.
 */
export async function checkTarget(context: AppContext, file: string, existing: Existing): Promise<string> {
  if (file.trim() === "") throw new WorldlineError("output-empty", {});
  const given = resolve(currentFolder(context.surroundings.cwd), file);
  const folder = await realpath(dirname(given)).catch((cause: unknown) => {
    throw new WorldlineError("output-folder-unwritable", { folder: dirname(given) }, { cause });
  });
  const there = await statOf(given);
  // If the file is a link, the target is replaced and the link stays.
  const path = there === undefined ? join(folder, basename(given)) : await realpath(given);
  const fromHome = relative(await realOrSame(context.home), path);
  if (!fromHome.startsWith("..") && !isAbsolute(fromHome)) {
    throw new WorldlineError("target-inside-home", { path });
  }
  if (there === undefined) return path;
  if (!there.isFile()) throw new WorldlineError("output-not-a-file", { path });
  if (existing === "keep") throw new WorldlineError("output-exists", { path });
  return path;
}

export interface Writing {
  readonly path: string;
  readonly existing: Existing;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Writes to a temporary file and then renames it, so that a crash leaves either the old file or the complete new one.
 */
export async function writePieces(
  context: AppContext,
  pieces: AsyncIterable<string | Uint8Array>,
  { path, existing, onProgress }: Writing,
): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  return heard(context, async (isCancelled) => {
    try {
      const bytes = await fill(temporary, pieces, (written) => {
        if (isCancelled()) throw new WorldlineError("cancelled", { left: "unwritten" });
        onProgress(written);
      });
      await giveName(temporary, path, existing);
      return bytes;
    } catch (error) {
      throw isWorldlineError(error) ? error : unwritable(path, error);
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

async function fill(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  onPiece: (bytes: number) => void,
): Promise<number> {
  const handle = await open(path, "wx", 0o600);
  try {
    let bytes = 0;
    for await (const piece of pieces) {
      const content = typeof piece === "string" ? Buffer.from(piece, "utf8") : piece;
      await handle.writeFile(content);
      bytes += content.length;
      onPiece(bytes);
    }
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
  }
}

/**
 * Gives the file its final name. Unlike a rename, a hard link never replaces a file that another program has created in
 * the meantime.
 */
async function giveName(temporary: string, path: string, existing: Existing): Promise<void> {
  if (existing === "replace") {
    await rename(temporary, path);
    return;
  }
  try {
    await link(temporary, path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") {
      throw new WorldlineError("output-exists", { path }, { cause: error });
    }
    // Some file systems do not support hard links, so the file is renamed instead.
    await rename(temporary, path);
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return undefined;
    throw new WorldlineError("output-unwritable", { path }, { cause });
  }
}

async function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function unwritable(path: string, cause: unknown): WorldlineError {
  const isFull = ["ENOSPC", "EDQUOT"].includes(systemCode(cause) ?? "");
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError(isFull ? "no-room-for-file" : "file-unwritable", { path, why }, { cause });
}

export const formats = ["markdown", "json", "bundle"] as const;
export type Format = (typeof formats)[number];

interface ExportedContent {
  readonly view: SessionView;
  readonly store: LogStore;
  readonly format: Format;
  readonly branch: "here" | "all";
  /** The language of a Markdown export. */
  readonly texts: MarkdownTexts;
}

interface ExportOptions<Written> extends ExportedContent {
  /** Whether a bundle contains the files of its snapshots, and whether that includes ignored files. */
  readonly files: FilesOptions["ignored"] | "none";
  readonly write: (pieces: AsyncIterable<string | Uint8Array>) => Promise<Written>;
}

interface Exported<Written> {
  readonly written: Written;
  /** The files that the bundle contains. */
  readonly files?: ExportedFiles;
}

/** Exports a session piece by piece, because a long session may not fit into one string. */
export async function exportSession<Written>(
  context: AppContext,
  { files: ignored, write, ...content }: ExportOptions<Written>,
): Promise<Exported<Written>> {
  if (content.format !== "bundle" || ignored === "none") return { written: await write(piecesOf(content)) };
  // Imported here because most commands do not need this module and start faster without it.
  const { openSnapshotObjects } = await import("../../open-files.ts");
  const objects = openSnapshotObjects({
    home: context.home,
    name: "worldline sessions export",
    takeOver: context.common.takeOver,
  });
  let exported: ExportedFiles | undefined;
  const onDone = (files: ExportedFiles): void => {
    exported = files;
  };
  try {
    const written = await write(piecesOf({ ...content, files: { objects, ignored, onDone } }));
    return { written, ...(exported === undefined ? {} : { files: exported }) };
  } finally {
    objects.close();
  }
}

/** Returns the export as a single JSON document, which contains the entries or the Markdown. */
export async function exportedDocument(
  view: SessionView,
  { format, branch, texts }: Pick<ExportedContent, "format" | "branch" | "texts">,
) {
  if (format === "json") return { ...(await exportJson(view)) };
  return { session: view.id, format, content: await exportMarkdown(view, { branch, texts }) };
}

async function* piecesOf({
  view,
  store,
  format,
  branch,
  texts,
  files,
}: ExportedContent & { readonly files?: FilesOptions }): AsyncGenerator<string | Uint8Array> {
  switch (format) {
    case "markdown":
      yield await exportMarkdown(view, { branch, texts });
      break;
    case "json":
      yield* jsonPieces(view);
      break;
    case "bundle":
      yield* exportBundle(view, store, files === undefined ? {} : { files });
      break;
    default:
      format satisfies never;
  }
}

/** Generates one JSON document with each entry on its own line. */
async function* jsonPieces(view: SessionView): AsyncGenerator<string> {
  const { entries, ...head } = await exportJson(view);
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  for (const [index, entry] of entries.entries()) yield `${index === 0 ? "" : ","}\n${JSON.stringify(entry)}`;
  yield "\n]}\n";
}
