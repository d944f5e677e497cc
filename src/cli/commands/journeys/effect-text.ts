import type { Strings } from "../../../strings/strings.ts";
import type { Effect } from "../../timeline/distance.ts";

/** "steps": of a program, which has no context that could grow or shrink. */
export function effectText(
  effect: Effect,
  { journeys }: Strings,
  of: "conversation" | "steps" = "conversation",
): string[] {
  return [
    ...(effect.left === 0 ? [] : [journeys.left(effect.left)]),
    ...(effect.back === 0 ? [] : [journeys.back(effect.back)]),
    ...(of === "steps" ? [] : [journeys.context(effect.tokensBefore, effect.tokensAfter)]),
  ];
}
