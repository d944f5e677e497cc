import type { ParamsOf } from "../texts.ts";
import { stores } from "./stores.ts";

/** All errors in English, which is the source, and what models and `--json` get. Each area has its file. */
export const errorsInEnglish = { ...stores };

/** What exactly went wrong. */
export type ErrorReason = keyof typeof errorsInEnglish;

/** What has to be known to say it. */
export type ErrorParams<Reason extends ErrorReason = ErrorReason> = ParamsOf<
  (typeof errorsInEnglish)[Reason]
>;
