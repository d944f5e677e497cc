import { summariseChanges } from "../../../app/files/changes.ts";
import { type CheckpointDiff, withDiff } from "../../../app/queries/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import { changeDocument, changeLines, MAX_SHOWN } from "../../../show/change-text.ts";
import { patchOf } from "../../../show/patch.ts";
import { defineCommand, flag, optional, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const diff = defineCommand({
  help: (help) => help.diff,
  arguments: {
    a: required(),
    b: optional(),
  },
  options: {
    stat: flag(),
    patch: flag(),
  },
  run: async ({ arguments: { a, b }, options, frame }) => {
    if (options.stat && options.patch) throw oneOfTwo();
    await withDiff(frame, { from: a, to: b }, async (difference) =>
      answer(frame, difference, options.patch ? "patch" : "stat"),
    );
  },
});

async function answer(
  frame: Frame,
  { files, changes, ends }: CheckpointDiff,
  form: "stat" | "patch",
): Promise<void> {
  const { output, strings, surroundings } = frame;
  const isJson = output.mode === "json";
  if (form === "patch" && !isJson && surroundings.stdout.isTTY !== true) {
    await output.pour(patchOf(changes, files, strings));
    return;
  }
  const patch = form === "patch" ? await joined(patchOf(changes, files, strings)) : undefined;
  const summaries = await summariseChanges(changes, files, isJson ? undefined : MAX_SHOWN);
  const document = {
    ...ends,
    changes: summaries.map(changeDocument),
    ...(patch === undefined ? {} : { patch }),
  };
  output.answer(document, () => {
    if (patch !== undefined) return patch;
    if (changes.length === 0) return strings.files.same;
    const count = (what: string) => summaries.filter((each) => each.what === what).length;
    const [created, deleted, uncovered] = [count("created"), count("deleted"), count("uncovered")];
    return [
      strings.files.between(ends.before, ends.after ?? strings.files.now),
      ...changeLines(summaries, strings),
      strings.files.stat({
        created,
        deleted,
        changed: changes.length - created - deleted - uncovered,
        uncovered,
      }),
    ].join("\n");
  });
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join("");
}

function oneOfTwo(): WorldlineError {
  return new WorldlineError("stat-and-patch", {});
}
