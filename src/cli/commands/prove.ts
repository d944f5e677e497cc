import { loadProve, type ProveOptions } from "../../demonstrations.ts";
import { glyphsFor } from "../../show/style.ts";
import { defineCommand, flag, list, optional, whole } from "../command.ts";
import type { Frame } from "../frame.ts";
import { openProgress, type Progress } from "../output.ts";

export const prove = defineCommand({
  help: (help) => help.prove,
  arguments: { folder: optional() },
  options: {
    kills: whole("<count>"),
    seed: whole("<number>"),
    limit: whole("<GiB>"),
    damage: list("<kind>"),
    keep: flag(),
  },
  run: async ({ arguments: { folder }, options, frame }) => {
    const { output, strings, surroundings } = frame;
    const { proveFolder, proofDocument, proofText } = await loadProve();
    const progress = openProgress(frame);
    try {
      const proved = await proveFolder(frame, {
        ...options,
        folder,
        keep: options.keep ? "keep" : "remove",
        onProgress: (step) => showProgress(frame, progress, step),
      });
      progress.clear();
      const look = {
        strings: strings.prove,
        glyphs: glyphsFor(surroundings.environment),
        style: output.style,
      };
      output.answer(proofDocument(proved), () => proofText(proved, look));
      return proved.off === 0 ? 0 : 1;
    } finally {
      progress.clear();
    }
  },
});

type ProveProgress = Parameters<ProveOptions["onProgress"]>[0];

function showProgress(
  { output, strings: { prove: words } }: Frame,
  line: Progress,
  step: ProveProgress,
): void {
  switch (step.doing) {
    case "copy":
      line.show(words.copying(step.files));
      return;
    case "begin":
      if (output.mode === "text") for (const each of copiedLines(step, words)) output.notice(each);
      return;
    case "damage":
      line.show(words.trying(step.index, step.of, words.damages[step.damage]));
      return;
    case "kill":
      line.show(words.killing(step.index, step.of));
      return;
    default:
      step satisfies never;
  }
}

function copiedLines(
  { from, copied, workspace }: Extract<ProveProgress, { doing: "begin" }>,
  words: Frame["strings"]["prove"],
): readonly string[] {
  if (copied === undefined) return [words.title(words.sample)];
  const { files, bytes, leftOut, skipped } = copied;
  return [
    words.title(from ?? ""),
    words.copied(files, bytes, workspace),
    ...(leftOut.length > 0 ? [words.leftOut(leftOut.length)] : []),
    ...(skipped.length > 0 ? [words.skipped(skipped.length)] : []),
  ];
}
