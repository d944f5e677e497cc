import type { ParamsOf } from "../texts.ts";
import { agent } from "./agent.ts";
import { agentSessions } from "./agent-sessions.ts";
import { choosing } from "./choosing.ts";
import { choosingModels } from "./choosing-models.ts";
import { commandLine } from "./command-line.ts";
import { databases } from "./databases.ts";
import { demonstrations } from "./demonstrations.ts";
import { disk } from "./disk.ts";
import { exchange } from "./exchange.ts";
import { exchanging } from "./exchanging.ts";
import { executions } from "./executions.ts";
import { files } from "./files.ts";
import { finder } from "./finder.ts";
import { folders } from "./folders.ts";
import { hosts } from "./hosts.ts";
import { library } from "./library.ts";
import { machine } from "./machine.ts";
import { models } from "./models.ts";
import { namingExecutions } from "./naming-executions.ts";
import { running } from "./running.ts";
import { settings } from "./settings.ts";
import { snapshots } from "./snapshots.ts";
import { stated } from "./stated.ts";
import { storeAddresses } from "./store-addresses.ts";
import { stores } from "./stores.ts";
import { terminal } from "./terminal.ts";
import { travel } from "./travel.ts";
import { traveling } from "./traveling.ts";

/** All errors in English, which is the source, and what models and `--json` get. Each area has its file. */
export const errorsInEnglish = {
  ...agentSessions,
  ...agent,
  ...choosingModels,
  ...choosing,
  ...commandLine,
  ...databases,
  ...demonstrations,
  ...disk,
  ...exchange,
  ...exchanging,
  ...executions,
  ...files,
  ...finder,
  ...folders,
  ...hosts,
  ...library,
  ...machine,
  ...models,
  ...namingExecutions,
  ...running,
  ...settings,
  ...snapshots,
  ...stated,
  ...storeAddresses,
  ...stores,
  ...terminal,
  ...travel,
  ...traveling,
};

/** What exactly went wrong. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** What has to be known to say it. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
