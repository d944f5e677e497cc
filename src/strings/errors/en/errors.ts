import type { ParamsOf } from "../texts.ts";
import { databases } from "./databases.ts";
import { disk } from "./disk.ts";
import { library } from "./library.ts";
import { snapshots } from "./snapshots.ts";
import { storeAddresses } from "./store-addresses.ts";
import { stores } from "./stores.ts";
import { travel } from "./travel.ts";

/** All errors in English, which is the source, and what models and `--json` get. Each area has its file. */
export const errorsInEnglish = {
  ...databases,
  ...disk,
  ...library,
  ...snapshots,
  ...storeAddresses,
  ...stores,
  ...travel,
};

/** What exactly went wrong. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** What has to be known to say it. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
