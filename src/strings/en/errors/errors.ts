import type { ParamsOf } from "../../errors/texts.ts";
import { agent, agentSessions } from "./agent.ts";
import { choosing, commandLine, running } from "./commands.ts";
import { databases, storeAddresses } from "./databases.ts";
import { exchange, exchanging } from "./exchange.ts";
import { executions, namingExecutions } from "./executions.ts";
import { files, folders, snapshots } from "./files.ts";
import { demonstrations, finder } from "./finder.ts";
import { hosts } from "./hosts.ts";
import { library, stated } from "./library.ts";
import { machine } from "./machine.ts";
import { choosingModels, models } from "./models.ts";
import { settings } from "./settings.ts";
import { disk, stores } from "./stores.ts";
import { terminal } from "./terminal.ts";
import { travel, traveling } from "./travel.ts";

/**
 * All errors in English, the source language. Models and programs that use `--json` always get the English text. Each
 * area has its own file.
 */
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

/** The exact reason for an error. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** The parameters of an error's message and hint. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
