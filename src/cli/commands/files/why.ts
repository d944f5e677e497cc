import type { Moment } from "../../../app/files/history.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { type PathVerdict, whyOf } from "../../../app/queries/why.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { FileState } from "../../../record/files.ts";
import { leftOutText, MAX_SHOWN, modeText } from "../../../show/change-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { defineCommand, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const why = defineCommand({
  help: (help) => help.why,
  arguments: { path: required() },
  run: async ({ arguments: { path }, frame }) => answer(frame, await whyOf(frame, path)),
});

function answer(frame: Frame, verdict: PathVerdict): void {
  const { path, coverage, state, leftOut, ignored, asOf, changes } = verdict;
  const document = {
    ...pathDocument(path),
    coverage,
    kind: state?.kind ?? null,
    mode: state?.kind === "file" || state?.kind === "folder" ? modeText(state.mode) : null,
    size: state?.kind === "file" ? state.size : null,
    leftOut: leftOut === undefined ? null : { ...pathDocument(leftOut.path), why: leftOut.why },
    ignored: ignored === undefined ? null : ignored === "yes",
    asOf: asOf === undefined ? null : momentDocument(asOf),
    changes: changes.map(({ what, ...moment }) => ({ what, ...momentDocument(moment) })),
    neverCovered: frame.strings.files.neverCovered,
  };
  frame.output.answer(document, () => textOf(frame, verdict).join("\n"));
}

function momentDocument({ view, checkpoint, at, author, snapshot }: Moment) {
  const when = new Date(at).toISOString();
  return { session: view.id, checkpoint: checkpoint ?? null, at: when, author, snapshot };
}

function textOf({ strings }: Frame, { path, changes, ...verdict }: PathVerdict): string[] {
  const { files, time } = strings;
  const now = systemClock.now();
  const rows = changes
    .slice(0, MAX_SHOWN)
    .map(({ view, checkpoint, at, what, author }) => [
      checkpoint === undefined ? view.id : `${view.id}:${checkpoint}`,
      relativeTime(at, now, time),
      files.happened[what],
      files.authors[author],
    ]);
  const more = changes.length - MAX_SHOWN;
  return [
    `${pathText(path)}: ${coverageText(verdict, strings)}`,
    ...(verdict.ignored === "yes" ? [files.ignoredAndCaptured] : []),
    ...(rows.length === 0 ? [] : [files.changedIn, ...table(rows).map((line) => `  ${line}`)]),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
    files.neverCovered,
  ];
}

function coverageText(
  { coverage, state, leftOut }: Pick<PathVerdict, "coverage" | "state" | "leftOut">,
  { files }: Frame["strings"],
): string {
  if (leftOut !== undefined) {
    return files.isLeftOut(pathText(leftOut.path), leftOutText(leftOut.path, leftOut.why, files));
  }
  if (coverage !== "captured" || state === undefined) return files.coverage[coverage];
  return files.isCaptured(describe(state, files));
}

function describe(state: FileState, files: Frame["strings"]["files"]): string {
  switch (state.kind) {
    case "file":
      return files.fileOf(modeText(state.mode), state.size);
    case "folder":
      return `${files.kinds.folder} ${modeText(state.mode)}`;
    case "link":
      return files.linkTo(pathText(state.target));
    case "left-out":
      return files.leftOut[state.why];
    default:
      return state satisfies never;
  }
}
