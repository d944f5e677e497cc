import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
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

export const errorsInChinese: Translated<typeof errorsInEnglish> = {
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
