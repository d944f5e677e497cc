import type { errorsInEnglish } from "../en/errors.ts";
import type { Translated } from "../texts.ts";
import { stores } from "./stores.ts";

export const errorsInChinese: Translated<typeof errorsInEnglish> = { ...stores };
