import {
  checkTarget,
  exportedDocument,
  exportSession,
  type Format,
  formats,
  type Writing,
  writePieces,
} from "../../../app/sessions/export.ts";
import { requireSession, withSession } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import type { ExportedFiles } from "../../../machine/exchange/bundle/export-bundle.ts";
import { WorldlineError } from "../../../record/error.ts";
import { markdownTexts } from "../../../show/entry-text.ts";
import { choice, defineCommand, flag, optional, text } from "../../command.ts";
import type { Frame } from "../../frame.ts";
import { openProgress } from "../../output.ts";

export const exportCommand = defineCommand({
  help: (help) => help.sessionsExport,
  arguments: { session: optional() },
  options: {
    format: choice(formats),
    output: { ...text("<file>"), short: "o" },
    all: flag(),
    includeIgnored: flag(),
    noFiles: flag(),
    force: flag(),
  },
  run: async ({ arguments: { session }, options, frame: given }) => {
    const store = openStore(given);
    const file = options.output === "-" ? undefined : options.output;
    const format = options.format ?? formatOf(file);
    const existing = options.force ? "replace" : "keep";
    if (file === undefined) checkPipe(given, format);
    const path = file === undefined ? undefined : await checkTarget(given, file, existing);
    const frame = await withSession(given, store, session);
    const view = await requireSession(frame, store);
    const branch = options.all ? "all" : "here";
    const files = options.noFiles ? "none" : options.includeIgnored ? "include" : "leave-out";
    const texts = markdownTexts(frame.strings);
    const wanted: Wanted = { view, store, format, branch, texts, files };
    if (path !== undefined) return toFile(frame, wanted, { path, existing });
    if (frame.output.mode === "text") return toStandardOutput(frame, wanted);
    frame.output.answer(await exportedDocument(view, { format, branch, texts }), () => "");
  },
});

type Wanted = Omit<Parameters<typeof exportSession>[1], "write">;

async function toStandardOutput(frame: Frame, wanted: Wanted): Promise<void> {
  const { output, surroundings } = frame;
  if (surroundings.stdout.isTTY !== true) {
    const { files } = await exportSession(frame, { ...wanted, write: async (pieces) => output.pour(pieces) });
    for (const line of filesText(frame, files)) output.notice(line);
    return;
  }
  const { written } = await exportSession(frame, { ...wanted, write: textOf });
  output.answer({}, () => written);
}

async function textOf(pieces: AsyncIterable<string | Uint8Array>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece.toString());
  return all.join("");
}

async function toFile(
  frame: Frame,
  wanted: Wanted,
  { path, existing }: Pick<Writing, "path" | "existing">,
): Promise<void> {
  const { output, strings } = frame;
  const { view, format } = wanted;
  const progress = openProgress(frame);
  const onProgress = (written: number) => progress.show(strings.exchange.exporting(written));
  const { written: bytes, files } = await exportSession(frame, {
    ...wanted,
    write: async (pieces) => writePieces(frame, pieces, { path, existing, onProgress }),
  }).finally(() => progress.clear());
  const document = {
    ...{ session: view.id, format, file: path, bytes, damage: view.damage },
    ...(files === undefined ? {} : { files }),
  };
  output.answer(document, () =>
    [
      strings.exchange.exported(view.id, path, bytes),
      ...filesText(frame, files),
      ...(format === "markdown" ? [] : [strings.exchange.holdsAll]),
      ...(view.damage.length === 0 ? [] : [strings.exchange.damaged(view.damage.length)]),
    ].join("\n"),
  );
}

function formatOf(file: string | undefined): Format {
  if (file?.endsWith(".json")) return "json";
  return file?.endsWith(".bundle") ? "bundle" : "markdown";
}

function checkPipe({ output, surroundings }: Frame, format: Format): void {
  if (format !== "bundle") return;
  if (output.mode === "text" && surroundings.stdout.isTTY !== true) return;
  throw new WorldlineError("bundle-to-pipe", { to: output.mode === "json" ? "json" : "terminal" });
}

function filesText({ strings: { exchange } }: Frame, files: ExportedFiles | undefined): string[] {
  if (files === undefined || files.snapshots + files.missing === 0) return [];
  const { ignored, forgotten, missing } = files.absent;
  return [
    exchange.exportedFiles(files.snapshots),
    ...(files.missing === 0 ? [] : [exchange.snapshotsGone(files.missing)]),
    ...(ignored === 0 ? [] : [exchange.ignoredNotIn(ignored)]),
    ...(forgotten + missing === 0 ? [] : [exchange.contentsGone(forgotten + missing)]),
  ];
}
