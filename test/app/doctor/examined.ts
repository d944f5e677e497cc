import type { Check } from "../../../src/app/doctor/check.ts";
import { type DoctorOptions, runDoctor } from "../../../src/app/doctor/doctor.ts";
import type { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

type Given = Parameters<typeof recordingContext>[1];

/** Runs the doctor, and returns every check that is about one of these items, or all checks. */
export async function examine(
  place: Pick<ReturnType<typeof playground>, "home" | "workspace">,
  {
    mode = "check",
    about = [],
    given = {},
  }: {
    readonly mode?: DoctorOptions["mode"];
    readonly about?: readonly Check["about"][];
    readonly given?: Given;
  } = {},
): Promise<readonly Check[]> {
  const { context } = recordingContext(place, given);
  const checks = await runDoctor(context, { version: "1.2.3", mode, onSession: () => undefined });
  return about.length === 0 ? checks : checks.filter((check) => about.includes(check.about));
}
