import type { FoundCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { findFile } from "../../../app/checkpoints/find-checkpoint.ts";
import { linesTextOf } from "../../../app/files/changes.ts";
import { requireFiles, withFiles } from "../../../app/files/files.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { type PathState, stateInCheckpoint } from "../../../app/queries/workspace-files.ts";
import { openStore } from "../../../app/sessions/store.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathBytes } from "../../../record/files.ts";
import { modeText, whyLeftOut } from "../../../show/change-text.ts";
import { defineCommand, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const show = defineCommand({
  help: (help) => help.show,
  arguments: {
    file: required(),
  },
  run: async ({ arguments: { file }, frame }) => {
    const found = await findFile(frame, openStore(frame), file);
    await withFiles(frame, found.view.header.workspace, async (here) => {
      const files = requireFiles(here);
      await write(frame, { found, files, ...(await stateInCheckpoint(frame, files, found)) });
    });
  },
});

interface Shown extends PathState {
  readonly found: FoundCheckpoint;
  readonly files: WorkspaceFiles;
}

async function write(frame: Frame, { found, files, path, state }: Shown): Promise<void> {
  const { output, surroundings } = frame;
  if (state.kind === "left-out") {
    const why = whyLeftOut(path, state.why);
    throw new WorldlineError("file-left-out", { path: pathText(path), why });
  }
  if (state.kind === "folder") throw isFolder(path);
  const bytes = state.kind === "link" ? Buffer.from(state.target, "latin1") : await files.content(state.hash);
  const known = { session: found.view.id, checkpoint: found.row.number, ...pathDocument(path) };
  const mode = state.kind === "file" ? { mode: modeText(state.mode) } : {};
  const document = { ...known, kind: state.kind, ...mode, size: bytes.length, ...contentOf(bytes) };
  if (output.mode === "json") output.answer(document, () => "");
  else if (surroundings.stdout.isTTY === true) output.answer(document, () => textFor(path, bytes));
  else await output.pour(pieces(bytes));
}

function contentOf(bytes: Uint8Array): { readonly encoding: "utf8" | "base64"; readonly content: string } {
  const text = utf8Of(bytes);
  return text === undefined
    ? { encoding: "base64", content: Buffer.from(bytes).toString("base64") }
    : { encoding: "utf8", content: text };
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes that are not text are not printed, because a terminal would interpret them. */
function textFor(path: PathBytes, bytes: Uint8Array): string {
  const text = linesTextOf(bytes);
  if (text !== undefined) return text;
  throw new WorldlineError("file-not-text", { path: pathText(path) });
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function isFolder(path: PathBytes): WorldlineError {
  return new WorldlineError("file-was-a-folder", { path: pathText(path) });
}
