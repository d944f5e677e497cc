import type { EntryOf } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { NearestAbove } from "../../../timeline/branch.ts";
import type { Row } from "../../../timeline/row.ts";
import type { SessionView } from "../../view.ts";
import { startOfText } from "./start-of-text.ts";

/** The step of a program that a checkpoint stands behind. */
export interface NamedStep {
  readonly name: string;
  readonly status: EntryOf<"saved">["status"];
}

/** By the checkpoint's line. Nothing in other sessions, nor for what stands before the first step. */
export async function programSteps(
  view: SessionView,
  checkpoints: readonly Row[] = view.outline.ofKind("checkpoint"),
): Promise<ReadonlyMap<Seq, NamedStep>> {
  const { outline, header } = view;
  if (header.mode !== "execution") return new Map();
  const lines = new Map<Seq, Seq>();
  const savedAbove = new NearestAbove(outline, (kind) => kind === "saved");
  for (const row of checkpoints) {
    const saved = savedAbove.of(row);
    if (saved !== undefined) lines.set(row.seq, saved.seq);
  }
  const steps = new Map<Seq, NamedStep>();
  for (const entry of await view.storedEntries([...new Set(lines.values())].sort((a, b) => a - b))) {
    if (entry.kind === "saved") steps.set(entry.seq, { name: startOfText(entry.name), status: entry.status });
  }
  return new Map(
    [...lines].flatMap(([line, saved]) => {
      const step = steps.get(saved);
      return step === undefined ? [] : [[line, step] as const];
    }),
  );
}
