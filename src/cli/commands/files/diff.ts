import { placeOf, snapshotOf } from "../../../app/checkpoints/checkpoint-list.ts";
import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { summariseChanges } from "../../../app/files/changes.ts";
import { patiently, requireFiles, withFiles } from "../../../app/files/files.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { capturePresent } from "../../../machine/files/look.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathChange } from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import { changeDocument, changeLines, MAX_SHOWN } from "../../../show/change-text.ts";
import { patchOf } from "../../../show/patch.ts";
import { seenChanges } from "../../../travel/plan-files.ts";
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
    const store = openStore(frame);
    const before = await findCheckpoint(frame, store, a);
    const workspace = before.view.header.workspace;
    await withFiles(frame, workspace, async (here) => {
      const files = requireFiles(here);
      const from = await snapshotOf(before, files);
      const after = await otherEnd(frame, store, { files, view: before.view, given: b });
      const changes = seenChanges(await files.compare(from.snapshot, after.snapshot));
      const ends = { before: placeOf(before), after: after.place };
      await answer(frame, { files, changes, ends, form: options.patch ? "patch" : "stat" });
    });
  },
});

interface OtherEnd {
  readonly snapshot: SnapshotId;
  /** Null for the present. */
  readonly place: string | null;
}

async function otherEnd(
  frame: Frame,
  store: LogStore,
  wanted: { readonly files: WorkspaceFiles; readonly view: SessionView; readonly given: string | undefined },
): Promise<OtherEnd> {
  const { files, view, given } = wanted;
  if (given === undefined) {
    const { snapshot } = await patiently(frame, (request) => capturePresent({ view, files }, request));
    return { snapshot, place: null };
  }
  // A number alone means a checkpoint of the same session, which was reported already.
  const isNumber = /^#?\d+$/u.test(given.trim());
  const inSame = isNumber ? { ...frame, common: { ...frame.common, session: view.id } } : frame;
  const found = await findCheckpoint(inSame, store, given);
  if (found.view.header.workspace !== view.header.workspace) throw elsewhere(given);
  return { snapshot: (await snapshotOf(found, files)).snapshot, place: placeOf(found) };
}

interface Comparison {
  readonly files: WorkspaceFiles;
  readonly changes: readonly PathChange[];
  readonly ends: { readonly before: string; readonly after: string | null };
  readonly form: "stat" | "patch";
}

async function answer(frame: Frame, { files, changes, ends, form }: Comparison): Promise<void> {
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

function elsewhere(given: string): WorldlineError {
  return new WorldlineError("checkpoint-of-other-workspace", { given });
}
