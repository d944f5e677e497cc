import type { AppContext } from "../context.ts";
import type { Environment } from "../places/home.ts";
import { onOrOff } from "../settings/kinds.ts";
import type { Settings } from "../settings/table.ts";

/** The SDK's own variables. The second one wins there. */
export const ENABLE = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
export const DISABLE = "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING";

export interface Checkpointing {
  /** Whether the SDK keeps its own file checkpoints too. */
  readonly checkpoints: "on" | "off";
  /** What contradicts something else, and so is worth a word at the start. */
  readonly doubts: readonly CheckpointingDoubt[];
}

export type CheckpointingDoubt =
  /** `snapshots.engine` is "sdk", and there is no SDK here. */
  | { readonly about: "engine-without-sdk" }
  /** It is "sdk", and that variable says that the SDK shall keep none. */
  | { readonly about: "engine-and-variable"; readonly variable: string }
  /** It is "sdk", and `enableFileCheckpointing` is false. */
  | { readonly about: "engine-and-setting" }
  /** The variable says on, and `enableFileCheckpointing` is false. */
  | { readonly about: "variable-and-setting"; readonly variable: string }
  | { readonly about: "both-variables" }
  | { readonly about: "not-understood"; readonly variable: string; readonly value: string };

type Given = Pick<Settings, "enableFileCheckpointing" | "snapshots.engine">;

/** Decides who keeps checkpoints of files, and finds what in the settings and the variables contradicts itself. Pure. */
export function checkpointingOf(
  host: "native" | "claude",
  settings: Given,
  environment: Environment,
): Checkpointing {
  const engine = settings["snapshots.engine"];
  if (host === "native") {
    return { checkpoints: "off", doubts: engine === "sdk" ? [{ about: "engine-without-sdk" }] : [] };
  }
  const said = { enable: wordOf(environment, ENABLE), disable: wordOf(environment, DISABLE) };
  const decided = engine === "sdk" ? bySdk(said, settings) : byVariable(said, settings);
  return { ...decided, doubts: [...said.enable.doubts, ...said.disable.doubts, ...decided.doubts] };
}

interface Said {
  readonly enable: Word;
  readonly disable: Word;
}

function bySdk({ enable, disable }: Said, { enableFileCheckpointing }: Given): Checkpointing {
  const doubts: CheckpointingDoubt[] = [];
  if (disable.says === true) doubts.push({ about: "engine-and-variable", variable: DISABLE });
  else if (enable.says === false) doubts.push({ about: "engine-and-variable", variable: ENABLE });
  if (!enableFileCheckpointing) doubts.push({ about: "engine-and-setting" });
  return { checkpoints: "on", doubts };
}

function byVariable({ enable, disable }: Said, { enableFileCheckpointing }: Given): Checkpointing {
  if (enable.says !== true) return { checkpoints: "off", doubts: [] };
  if (disable.says === true) return { checkpoints: "off", doubts: [{ about: "both-variables" }] };
  const isOff = !enableFileCheckpointing;
  return { checkpoints: "on", doubts: isOff ? [{ about: "variable-and-setting", variable: ENABLE }] : [] };
}

interface Word {
  readonly says: boolean | undefined;
  readonly doubts: readonly CheckpointingDoubt[];
}

/** A variable that is there but empty is not set, as shells have it. */
function wordOf(environment: Environment, variable: string): Word {
  const value = environment[variable];
  if (value === undefined || value.trim() === "") return { says: undefined, doubts: [] };
  const says = onOrOff.fromText(value);
  return { says, doubts: says === undefined ? [{ about: "not-understood", variable, value }] : [] };
}

/** Reports what the settings expect of our own agent, which has nothing but our snapshots. */
export async function reportEngineDoubts({ settings, surroundings, listener }: AppContext): Promise<void> {
  const { doubts } = checkpointingOf("native", (await settings()).values, surroundings.environment);
  for (const doubt of doubts) listener.report({ code: "checkpointing-doubt", doubt });
}
