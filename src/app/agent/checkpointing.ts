import type { AppContext } from "../context.ts";
import type { Environment } from "../places/home.ts";
import { onOrOff } from "../settings/kinds.ts";
import type { Settings } from "../settings/table.ts";

/** Claude Agent SDK environment variables. If both are set, the SDK follows the second one. */
export const ENABLE = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
export const DISABLE = "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING";

export interface Checkpointing {
  /** Whether the SDK also keeps its own file checkpoints. */
  readonly checkpoints: "on" | "off";
  /** Contradictory settings and variables that the user is warned about when the agent starts. */
  readonly doubts: readonly CheckpointingDoubt[];
}

export type CheckpointingDoubt =
  /** `snapshots.engine` is "sdk", but our own agent does not use the SDK. */
  | { readonly about: "engine-without-sdk" }
  /** `snapshots.engine` is "sdk", but this variable tells the SDK not to keep file checkpoints. */
  | { readonly about: "engine-and-variable"; readonly variable: string }
  /** `snapshots.engine` is "sdk", but `enableFileCheckpointing` is false. */
  | { readonly about: "engine-and-setting" }
  /** The variable turns the SDK's checkpoints on, but `enableFileCheckpointing` is false. */
  | { readonly about: "variable-and-setting"; readonly variable: string }
  | { readonly about: "both-variables" }
  | { readonly about: "not-understood"; readonly variable: string; readonly value: string };

type Given = Pick<Settings, "enableFileCheckpointing" | "snapshots.engine">;

/**
 * Decides whether the SDK keeps file checkpoints, and finds contradictions between the settings and variables. This
 * function is pure.
 */
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

/** Interprets an environment variable. An empty variable is treated as unset, as in shells. */
function wordOf(environment: Environment, variable: string): Word {
  const value = environment[variable];
  if (value === undefined || value.trim() === "") return { says: undefined, doubts: [] };
  const says = onOrOff.fromText(value);
  return { says, doubts: says === undefined ? [{ about: "not-understood", variable, value }] : [] };
}

/** Warns about settings that our own agent cannot apply, because it supports only our snapshots. */
export async function reportEngineDoubts({ settings, surroundings, listener }: AppContext): Promise<void> {
  const { doubts } = checkpointingOf("native", (await settings()).values, surroundings.environment);
  for (const doubt of doubts) listener.report({ code: "checkpointing-doubt", doubt });
}
