import type { ParamsOf } from "../texts.ts";
import { agent } from "./agent.ts";
import { exchange } from "./exchange.ts";
import { executions } from "./executions.ts";
import { finder } from "./finder.ts";
import { hosts } from "./hosts.ts";
import { machine } from "./machine.ts";
import { models } from "./models.ts";
import { stores } from "./stores.ts";

/** All errors in English, which is the source, and what models and `--json` get. Each area has its file. */
export const errorsInEnglish = {
  ...agent,
  ...exchange,
  ...executions,
  ...finder,
  ...hosts,
  ...machine,
  ...models,
  ...stores,
};

/** What exactly went wrong. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** What has to be known to say it. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
