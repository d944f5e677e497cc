import type { Effect } from "../../../app/checkpoints/distance.ts";
import type { SessionBody } from "../../../record/entry.ts";
import type { Strings } from "../../../strings/strings.ts";

/** A program has no context that could grow or shrink. */
export function effectText(
  effect: Effect,
  { journeys, executions }: Strings,
  mode: SessionBody["mode"],
): string[] {
  return [
    ...(effect.left === 0 ? [] : [journeys.left(effect.left)]),
    ...(effect.back === 0
      ? []
      : [mode === "execution" ? executions.back(effect.back) : journeys.back(effect.back)]),
    ...(mode === "execution" ? [] : [journeys.context(effect.tokensBefore, effect.tokensAfter)]),
  ];
}
