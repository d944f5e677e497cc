import { checkedLabel } from "../../machine/names.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import { type LabelsById, lookalikeOf } from "../../timeline/checkpoints.ts";
import type { AppContext } from "../context.ts";

/** How the command line reads a checkpoint's number: `12`, `#12`, `session:12`, and what looks like a wrong one. */
const numberLike = /^[#-]?\d+$|^[^\s:]+:#?\d+$/u;

/** The label as it is kept. One that the command line would read as a number could be given, and never be used. */
export function reachableLabel(text: string): string {
  const label = checkedLabel(text.trim());
  if (!numberLike.test(label)) return label;
  throw new WorldlineError("label-like-a-number", { label });
}

/** Warns of another label that is easily taken for this one. `target`: the place that is labelled, whose label so far it replaces. */
export function warnOfLookalike(
  { listener }: AppContext,
  labels: LabelsById,
  label: string,
  target?: EntryId,
): void {
  const other = lookalikeOf(labels, label, target);
  if (other === undefined) return;
  listener.report({ code: "label-lookalike", label, other });
}
