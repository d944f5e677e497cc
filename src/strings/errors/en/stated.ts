import { type ErrorCode, error } from "../texts.ts";

/** An error in the words of whoever throws it: for stores, hosts and models that are not Worldline's own. */
export const stated = {
  stated: error(
    ({ code }: Stated) => code,
    ({ message }) => message,
    ({ hint = "" }) => hint,
  ),
};

export interface Stated {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}
