import { type ExportedFiles, exportFiles as exportFilesOf } from "../../../app/export-files.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import type { PathState } from "../../../ports/workspace-files.ts";
import { leftOutText, MAX_SHOWN } from "../../../show/change-text.ts";
import { defineCommand, flag, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const exportFiles = defineCommand({
  help: (help) => help.exportFiles,
  arguments: {
    cp: required(),
    folder: required(),
  },
  options: {
    includeIgnored: flag(),
    dryRun: flag(),
  },
  run: async ({ arguments: { cp, folder }, options, frame }) => {
    const exported = await exportFilesOf(frame, {
      checkpoint: cp,
      folder,
      ignored: options.includeIgnored ? "include" : "leave-out",
      dryRun: options.dryRun,
    });
    answer(frame, exported, options.dryRun ? "dry-run" : "written");
  },
});

function answer(
  { output, strings }: Frame,
  { checkpoint, folder, states, ignored, leftOut }: ExportedFiles,
  how: "dry-run" | "written",
): void {
  const { files, journeys } = strings;
  const count = states.filter(({ path }) => path !== "").length;
  const document = {
    session: checkpoint.view.id,
    checkpoint: checkpoint.row.number,
    folder,
    changed: how === "written",
    paths: count,
    ignored: ignored.map(({ path }) => pathDocument(path)),
    leftOut: leftOut.map(({ path, state }) => ({
      ...pathDocument(path),
      why: state.kind === "left-out" ? state.why : null,
    })),
  };
  output.answer(document, () =>
    [
      how === "written" ? files.exported(count, folder) : files.wouldExport(count, folder),
      ...(ignored.length === 0 ? [] : [files.ignoredLeftOut(ignored.length)]),
      ...leftOutLines(leftOut, files),
      ...(how === "written" ? [] : [journeys.dryRun]),
    ].join("\n"),
  );
}

function leftOutLines(leftOut: readonly PathState[], files: Frame["strings"]["files"]): string[] {
  if (leftOut.length === 0) return [];
  const more = leftOut.length - MAX_SHOWN;
  return [
    files.notInSnapshot(leftOut.length),
    ...leftOut
      .slice(0, MAX_SHOWN)
      .map(({ path, state }) =>
        files.gap(pathText(path), state.kind === "left-out" ? leftOutText(path, state.why, files) : ""),
      ),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
  ];
}
