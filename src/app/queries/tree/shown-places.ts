import type { SessionView } from "../../../machine/view.ts";
import type { EntryId, Seq } from "../../../record/ids.ts";
import { commandOf } from "../../../timeline/checkpoints.ts";
import type { Outline } from "../../../timeline/outline.ts";
import { isAboutPlace, type Row } from "../../../timeline/row.ts";
import { contextTokens } from "../../../timeline/token-count.ts";
import type { JourneyEntry } from "../../../travel/redo.ts";
import { isUnasked } from "../../checkpoints/checkpoint-rows.ts";
import { readTexts } from "../../checkpoints/listed-places.ts";
import { plainNote } from "../../checkpoints/plain-note.ts";
import { SnapshotsTold } from "../../checkpoints/snapshots-told.ts";
import type { TreePlace } from "../query-types.ts";

/** A row of the tree, by its line. */
export interface ShownPlace {
  readonly what: TreePlace;
  /** That it is, or that its prompt has. */
  readonly checkpoint?: Row;
}

/** Longer than any line: notes may be pages. */
const LONGEST = 240;

/** What has a row in the tree. Everything else hangs on the nearest of them above it. */
export async function shownPlaces(
  view: SessionView,
  labels: ReadonlyMap<EntryId, string>,
): Promise<ReadonlyMap<number, ShownPlace>> {
  const { outline } = view;
  const places = new Map<number, ShownPlace>();
  const first = outline.at(1);
  if (first !== undefined) places.set(first.seq, { what: { kind: "beginning" } });
  const withPrompt = await addPrompts(view, places);
  await addCheckpoints(view, places, { withPrompt, labels });
  for (const id of labels.keys()) {
    const row = outline.byId(id);
    if (row?.kind === "step") places.set(row.seq, { what: { kind: "step" }, checkpoint: row });
  }
  await addCompactions(view, places);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  for (const entry of journeys) places.set(entry.seq, { what: journeyOf(entry) });
  return places;
}

/** Resolves with the checkpoints that have a prompt: they are shown as it, and so are their labels. */
async function addPrompts(view: SessionView, places: Map<number, ShownPlace>): Promise<ReadonlySet<number>> {
  const { outline } = view;
  const prompts = outline.ofKind("prompt");
  const texts = new Map<Seq, string>();
  await readTexts(
    view,
    prompts.map((row) => ({ row, on: "prompt", textLine: row.seq })),
    texts,
  );
  const withPrompt = new Set<number>();
  for (const row of prompts) {
    const checkpoint = checkpointAbove(outline, row);
    if (checkpoint !== undefined) withPrompt.add(checkpoint.seq);
    const what = { kind: "prompt", text: texts.get(row.seq) ?? "" } as const;
    places.set(row.seq, { what, ...(checkpoint === undefined ? {} : { checkpoint }) });
  }
  return withPrompt;
}

function checkpointAbove(outline: Outline, prompt: Row): Row | undefined {
  let row = outline.at(prompt.parent);
  while (row !== undefined && isAboutPlace(row)) row = outline.at(row.parent);
  return row?.kind === "checkpoint" ? row : undefined;
}

interface Known {
  readonly withPrompt: ReadonlySet<number>;
  readonly labels: ReadonlyMap<EntryId, string>;
}

/** Before a command, or saved by hand. Those that were made by themselves belong to what they were made behind. */
async function addCheckpoints(
  view: SessionView,
  places: Map<number, ShownPlace>,
  { withPrompt, labels }: Known,
): Promise<void> {
  const { outline } = view;
  const rows = outline.ofKind("checkpoint").filter(({ seq }) => !withPrompt.has(seq));
  const commands = rows.flatMap((row) => {
    const start = commandOf(outline, row);
    return start === undefined ? [] : [{ row, on: "command" as const, textLine: start.seq }];
  });
  const texts = new Map<Seq, string>();
  await readTexts(view, commands, texts);
  for (const { row, textLine } of commands) {
    // By its start: a journey to its checkpoint leaves it.
    places.set(textLine, { what: { kind: "command", text: texts.get(textLine) ?? "!" }, checkpoint: row });
  }
  const withCommand = new Set<number>(commands.map(({ row }) => row.seq));
  const others = rows.filter(({ seq }) => !withCommand.has(seq));
  const told = await new SnapshotsTold().of(view, new Set(others.map(({ number }) => number)));
  for (const row of others) {
    if (!labels.has(row.id) && isUnasked(view, told.get(row.number))) continue;
    places.set(row.seq, { what: { kind: "checkpoint" }, checkpoint: row });
  }
}

async function addCompactions(view: SessionView, places: Map<number, ShownPlace>): Promise<void> {
  for (const entry of await view.storedEntries(view.outline.linesOf("compaction"))) {
    if (entry.kind !== "compaction") continue;
    const { reason, tokensBefore: before } = entry;
    const after = contextTokens(view.outline, view.outline.at(entry.seq), entry.seq);
    places.set(entry.seq, { what: { kind: "compaction", reason, before, after } });
  }
}

function journeyOf(entry: JourneyEntry): TreePlace {
  switch (entry.kind) {
    case "rewind":
      return { kind: "rewind", to: entry.to, scope: entry.scope };
    case "redo":
      return { kind: "redo", scope: entry.scope };
    case "backtrack":
      return { kind: "backtrack", to: entry.to, note: [...plainNote(entry.note)].slice(0, LONGEST).join("") };
    default:
      return entry satisfies never;
  }
}
