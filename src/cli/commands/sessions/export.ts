import {
  type BundledFiles,
  checkTarget,
  type Format,
  formats,
  piecesOf,
  type Writing,
  withBundledFiles,
  writePieces,
} from "../../../app/sessions/export.ts";
import { requireSession, withSession } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import type { ExportedFiles } from "../../../machine/exchange/bundle/export-bundle.ts";
import { exportJson } from "../../../machine/exchange/export-json.ts";
import { exportMarkdown } from "../../../machine/exchange/export-markdown.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { choice, defineCommand, flag, optional, text } from "../../command.ts";
import type { Frame } from "../../frame.ts";
import { openProgress } from "../../output.ts";

export const exportSession = defineCommand({
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
    const target = file === undefined ? undefined : await checkTarget(given, file, existing);
    const frame = await withSession(given, store, session);
    const view = await requireSession(frame, store);
    const ignored = options.includeIgnored ? "include" : "leave-out";
    const branch = options.all ? "all" : "here";
    await withBundledFiles(
      frame,
      format === "bundle" && !options.noFiles ? ignored : "none",
      async (files) => {
        const wanted: Export = { view, store, format, branch, files };
        if (target === undefined) await toStandardOutput(frame, wanted);
        else await toFile(frame, wanted, { path: target, existing });
      },
    );
  },
});

interface Export {
  readonly view: SessionView;
  readonly store: LogStore;
  readonly format: Format;
  readonly branch: "here" | "all";
  readonly files: BundledFiles;
}

async function toStandardOutput(frame: Frame, { view, store, format, branch, files }: Export): Promise<void> {
  const { output, surroundings } = frame;
  if (output.mode === "json") {
    const document =
      format === "json"
        ? { ...(await exportJson(view)) }
        : { session: view.id, format, content: await exportMarkdown(view, { branch }) };
    output.answer(document, () => "");
    return;
  }
  const pieces = piecesOf(view, store, { format, branch, ...files.options });
  if (surroundings.stdout.isTTY !== true) {
    await output.pour(pieces);
    for (const line of filesText(frame, files.exported())) output.notice(line);
    return;
  }
  const all: (string | Uint8Array)[] = [];
  for await (const piece of pieces) all.push(piece);
  output.answer({}, () => all.map((piece) => piece.toString()).join(""));
}

async function toFile(
  frame: Frame,
  { view, store, format, branch, files }: Export,
  target: Pick<Writing, "path" | "existing">,
): Promise<void> {
  const { output, strings } = frame;
  const progress = openProgress(frame);
  const bytes = await writePieces(frame, piecesOf(view, store, { format, branch, ...files.options }), {
    ...target,
    onProgress: (written) => progress.show(strings.exchange.exporting(written)),
  }).finally(() => progress.clear());
  const exported = files.exported();
  const document = {
    ...{ session: view.id, format, file: target.path, bytes, damage: view.damage },
    ...(exported === undefined ? {} : { files: exported }),
  };
  output.answer(document, () =>
    [
      strings.exchange.exported(view.id, target.path, bytes),
      ...filesText(frame, exported),
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
