import type { Strings } from "../../../strings/strings.ts";
import type { Effect } from "../../timeline/distance.ts";

export function effectText(effect: Effect, { journeys }: Strings): string[] {
  return [
    ...(effect.left === 0 ? [] : [journeys.left(effect.left)]),
    ...(effect.back === 0 ? [] : [journeys.back(effect.back)]),
    journeys.context(effect.tokensBefore, effect.tokensAfter),
  ];
}
