import { snapshotOf } from "../../../app/checkpoints/checkpoint-list.ts";
import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { checkExportTarget, type Selection, selectFiles, writeExport } from "../../../app/files/export.ts";
import { requireFiles, withFiles } from "../../../app/files/files.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { openStore } from "../../../app/sessions/store.ts";
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
    const found = await findCheckpoint(frame, openStore(frame), cp);
    const target = await checkExportTarget(frame, folder);
    await withFiles(frame, found.view.header.workspace, async (here) => {
      const files = requireFiles(here);
      const { snapshot } = await snapshotOf(found, files);
      const ignored = options.includeIgnored ? "include" : "leave-out";
      const selection = await selectFiles(files, snapshot, ignored);
      if (!options.dryRun) await writeExport(frame, { files, states: selection.states, target });
      const { id } = found.view;
      const place = { session: id, checkpoint: found.row.number, folder: target.folder };
      answer(frame, selection, { ...place, changed: !options.dryRun });
    });
  },
});

interface Exported {
  readonly session: string;
  readonly checkpoint: number;
  readonly folder: string;
  readonly changed: boolean;
}

function answer({ output, strings }: Frame, selection: Selection, exported: Exported): void {
  const { states, ignored, leftOut } = selection;
  const { files, journeys } = strings;
  const count = states.filter(({ path }) => path !== "").length;
  const document = {
    ...exported,
    paths: count,
    ignored: ignored.map(({ path }) => pathDocument(path)),
    leftOut: leftOut.map(({ path, state }) => ({
      ...pathDocument(path),
      why: state.kind === "left-out" ? state.why : null,
    })),
  };
  output.answer(document, () =>
    [
      exported.changed ? files.exported(count, exported.folder) : files.wouldExport(count, exported.folder),
      ...(ignored.length === 0 ? [] : [files.ignoredLeftOut(ignored.length)]),
      ...leftOutLines(leftOut, files),
      ...(exported.changed ? [] : [journeys.dryRun]),
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
