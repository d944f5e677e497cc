import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { BundleSource } from "../../machine/exchange/bundle/unpack.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/home.ts";
import { currentFolder } from "../places/workspace.ts";

/** What is to be imported. A file is read twice, to check it whole before anything is written; a pipe has to be held. */
export type Source = BundleFrom | { readonly from: "kimi"; readonly path: string };

export interface BundleFrom {
  readonly from: "bundle";
  readonly bundle: BundleSource;
}

/** Reads all that is piped in, at most so many bytes. */
export type ReadPiped = (maxBytes: number) => Promise<Buffer>;

const MAX_PIPED_BYTES = 1024 ** 3;
const PIECE_BYTES = 256 * 1024;
const GZIP_START = "1f8b";
const BRACE_START = /^7b/u;

/** Finds out what `path` is: a folder is a session of kimi-cli, compressed data is a bundle, lines of JSON are kimi-cli's again. */
export async function openSource(
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

/** A damaged file of kimi-cli is still one, so its name counts too; and a bundle's name is never kimi-cli's. */
async function kindOf(path: string): Promise<Source["from"]> {
  const start = await startOf(path);
  if (start === GZIP_START) return "bundle";
  const name = basename(path);
  if (name.includes(".jsonl") || (BRACE_START.test(start) && !name.endsWith(".bundle"))) return "kimi";
  throw new WorldlineError("import-of-unknown-kind", { path });
}

/** The first two bytes, in hexadecimal. */
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
