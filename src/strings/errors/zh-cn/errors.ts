import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
import { choosing } from "./choosing.ts";
import { files } from "./files.ts";
import { folders } from "./folders.ts";
import { settings } from "./settings.ts";
import { stores } from "./stores.ts";

export const errorsInChinese: Translated<typeof errorsInEnglish> = {
  ...choosing,
  ...files,
  ...folders,
  ...settings,
  ...stores,
};
