import type { Choice } from "../../../../record/entry.ts";
import { WorldlineError } from "../../../../record/error.ts";
import { flag } from "../../../command/parameters.ts";

/** What happens to a path that somebody else changed since. */
export const choiceOptions = {
  keep: flag(
    "what somebody else changed since stays as it is (the default in an agent's session), and so does what changed while commands ran",
  ),
  take: flag("what somebody else changed since is restored too (the default in the workspace's own session)"),
  merge: flag("what somebody else changed since is merged line by line; what does not fit stays"),
};

/** Undefined where the person did not say. */
export function choiceOf(options: Readonly<Record<Choice, boolean>>): Choice | undefined {
  const given = (["keep", "take", "merge"] as const).filter((choice) => options[choice]);
  const [choice, other] = given;
  if (other === undefined) return choice;
  throw new WorldlineError("choices-contradict", { one: String(choice), other });
}
