import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
import { agentSessions } from "./agent-sessions.ts";
import { choosingModels } from "./choosing-models.ts";
import { choosing } from "./choosing.ts";
import { commandLine } from "./command-line.ts";
import { databases } from "./databases.ts";
import { disk } from "./disk.ts";
import { exchanging } from "./exchanging.ts";
import { files } from "./files.ts";
import { folders } from "./folders.ts";
import { library } from "./library.ts";
import { namingExecutions } from "./naming-executions.ts";
import { running } from "./running.ts";
import { settings } from "./settings.ts";
import { snapshots } from "./snapshots.ts";
import { storeAddresses } from "./store-addresses.ts";
import { stores } from "./stores.ts";
import { terminal } from "./terminal.ts";
import { travel } from "./travel.ts";
import { traveling } from "./traveling.ts";

export const errorsInChinese: Translated<typeof errorsInEnglish> = {
  ...agentSessions,
  ...choosingModels,
  ...choosing,
  ...commandLine,
  ...databases,
  ...disk,
  ...exchanging,
  ...files,
  ...folders,
  ...library,
  ...namingExecutions,
  ...running,
  ...settings,
  ...snapshots,
  ...storeAddresses,
  ...stores,
  ...terminal,
  ...travel,
  ...traveling,
};
