import type { ParamsOf } from "../texts.ts";
import { agentSessions } from "./agent-sessions.ts";
import { choosing } from "./choosing.ts";
import { choosingModels } from "./choosing-models.ts";
import { commandLine } from "./command-line.ts";
import { exchanging } from "./exchanging.ts";
import { files } from "./files.ts";
import { folders } from "./folders.ts";
import { namingExecutions } from "./naming-executions.ts";
import { running } from "./running.ts";
import { settings } from "./settings.ts";
import { stores } from "./stores.ts";
import { terminal } from "./terminal.ts";
import { traveling } from "./traveling.ts";

/** All errors in English, which is the source, and what models and `--json` get. Each area has its file. */
export const errorsInEnglish = {
  ...agentSessions,
  ...choosing,
  ...choosingModels,
  ...commandLine,
  ...files,
  ...folders,
  ...settings,
  ...exchanging,
  ...namingExecutions,
  ...running,
  ...traveling,
  ...stores,
  ...terminal,
};

/** What exactly went wrong. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** What has to be known to say it. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
