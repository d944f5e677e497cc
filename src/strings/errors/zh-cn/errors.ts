import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
import { databases } from "./databases.ts";
import { disk } from "./disk.ts";
import { library } from "./library.ts";
import { snapshots } from "./snapshots.ts";
import { storeAddresses } from "./store-addresses.ts";
import { stores } from "./stores.ts";
import { travel } from "./travel.ts";

export const errorsInChinese: Translated<typeof errorsInEnglish> = {
  ...databases,
  ...disk,
  ...library,
  ...snapshots,
  ...storeAddresses,
  ...stores,
  ...travel,
};
