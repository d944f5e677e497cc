import {
  type CapturedFiles,
  type MadeCheckpoint,
  makeCheckpoint,
} from "../../../app/checkpoints/make-checkpoint.ts";
import { pathDocument, pathText } from "../../../app/files/paths.ts";
import { MAX_SHOWN } from "../../../show/change-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { atAShell, remarkText, wordingIn } from "../../../strings/wording.ts";
import { defineCommand, optional } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const checkpoint = defineCommand({
  help: (help) => help.checkpoint,
  arguments: { label: optional() },
  run: async ({ arguments: { label }, frame }) => {
    const made = await makeCheckpoint(frame, label, "worldline checkpoint");
    answer(frame, made);
    // If files were expected but not captured, the command fails, so that a script such as `worldline checkpoint &&
    // make` stops before it changes anything.
    return made.captured.state === "none" && made.expected === "files" ? 1 : 0;
  },
});

function answer({ output, strings }: Frame, made: MadeCheckpoint): void {
  const { session, began, number, label, captured } = made;
  const document = { session, began, number, label: label ?? null, files: capturedDocument(captured) };
  output.answer(document, () =>
    [
      label === undefined
        ? strings.checkpoints.made(number, session)
        : strings.checkpoints.madeWithLabel(number, label, session),
      ...capturedText(captured, strings),
    ].join("\n"),
  );
}

export function capturedText(captured: CapturedFiles, strings: Strings): string[] {
  const { files } = strings;
  if (captured.state === "none") {
    return [files.without(remarkText(strings, captured, wordingIn(strings.reasons, atAShell)))];
  }
  const { state, changed, read, gaps } = captured;
  const since = changed === undefined ? "" : files.changedFiles(changed.files, changed.since);
  if (state === "complete") return [files.captured(since === "" ? files.read(read) : since)];
  const more = gaps.length - MAX_SHOWN;
  return [
    files.capturedPartly(since, gaps.length),
    ...gaps.slice(0, MAX_SHOWN).map(({ path, why }) => files.gap(pathText(path), files.leftOut[why])),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
  ];
}

export function capturedDocument(captured: CapturedFiles) {
  if (captured.state === "none") return captured;
  const { changed = null, gaps, ...rest } = captured;
  return { ...rest, changed, gaps: gaps.map(({ path, why }) => ({ ...pathDocument(path), why })) };
}
