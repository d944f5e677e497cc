import type { Strings } from "../../../strings/strings.ts";
import type { Frame } from "../../command/frame.ts";
import { type CheckpointingDoubt, checkpointingOf, DISABLE, ENABLE } from "./checkpointing.ts";

/** Says what holds, and what can be done about it. */
export function warnOfCheckpointing({ output, strings }: Frame, doubts: readonly CheckpointingDoubt[]): void {
  for (const doubt of doubts) output.warn(textOf(doubt, strings.hosts.checkpointing));
}

/** Of our own agent, which has nothing but our snapshots. */
export async function warnOfEngine(frame: Frame): Promise<void> {
  const { values } = await frame.settings();
  warnOfCheckpointing(frame, checkpointingOf("native", values, frame.surroundings.environment).doubts);
}

function textOf(doubt: CheckpointingDoubt, words: Strings["hosts"]["checkpointing"]): string {
  switch (doubt.about) {
    case "engine-without-sdk":
      return words.engineWithoutSdk;
    case "engine-and-variable":
      return words.engineAndVariable(doubt.variable);
    case "engine-and-setting":
      return words.engineAndSetting;
    case "variable-and-setting":
      return words.variableAndSetting(doubt.variable);
    case "both-variables":
      return words.bothVariables(ENABLE, DISABLE);
    case "not-understood":
      return words.notUnderstood(doubt.variable, doubt.value);
    default:
      return doubt satisfies never;
  }
}
