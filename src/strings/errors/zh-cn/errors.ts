import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
import { agent } from "./agent.ts";
import { exchange } from "./exchange.ts";
import { executions } from "./executions.ts";
import { finder } from "./finder.ts";
import { hosts } from "./hosts.ts";
import { machine } from "./machine.ts";
import { models } from "./models.ts";
import { stores } from "./stores.ts";

export const errorsInChinese: Translated<typeof errorsInEnglish> = {
  ...agent,
  ...exchange,
  ...executions,
  ...finder,
  ...hosts,
  ...machine,
  ...models,
  ...stores,
};
