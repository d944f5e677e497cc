import { type ErrorParams, WorldlineError } from "../../../record/error.ts";

export type BundleFault = ErrorParams<"bundle-invalid">["fault"];

/** What is wrong with a bundle, and where. Nothing has been written when this is thrown. */
export function bundleInvalid(fault: BundleFault, cause?: unknown): WorldlineError {
  return new WorldlineError("bundle-invalid", { fault }, { cause });
}
