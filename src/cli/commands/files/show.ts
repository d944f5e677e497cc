import { linesTextOf } from "../../../app/files/changes.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { fileInCheckpoint, type ShownFile } from "../../../app/queries/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathBytes } from "../../../record/files.ts";
import { modeText } from "../../../show/change-text.ts";
import { defineCommand, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const show = defineCommand({
  help: (help) => help.show,
  arguments: {
    file: required(),
  },
  run: async ({ arguments: { file }, frame }) => write(frame, await fileInCheckpoint(frame, file)),
});

async function write(frame: Frame, { found, path, state, bytes }: ShownFile): Promise<void> {
  const { output, surroundings } = frame;
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

/** Returns the text of a file. Throws if the bytes are not text, because a terminal would interpret them. */
function textFor(path: PathBytes, bytes: Uint8Array): string {
  const text = linesTextOf(bytes);
  if (text !== undefined) return text;
  throw new WorldlineError("file-not-text", { path: pathText(path) });
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
