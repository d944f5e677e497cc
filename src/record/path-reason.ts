import { pathReasons } from "../strings/errors/en/path-reasons.ts";
import { type PathReason, pathReasonsText } from "../strings/errors/path-reasons.ts";
import { englishText, type WorldlineError } from "./error.ts";
import { isJsonObject, type Json } from "./parts.ts";

export type { PathReason };

/** What is said of an outcome: its reasons, and their English for the log, for models and for scripts. */
export interface Because {
  readonly why: string;
  readonly reasons: readonly PathReason[];
}

export function because(...reasons: readonly PathReason[]): Because {
  return { why: pathReasonsText(reasons, pathReasons, englishText) ?? "", reasons };
}

export function errorReason({ reason, params }: WorldlineError): PathReason {
  return { code: "error", reason, params };
}

/** The reasons that a log holds. What they say is not checked: whoever shows them passes over those that are not known. */
export function pathReasonsIn(value: Json | undefined): readonly PathReason[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isPathReason)) return undefined;
  return value as unknown as readonly PathReason[];
}

function isPathReason(value: Json): boolean {
  if (!isJsonObject(value) || typeof value["code"] !== "string") return false;
  return value["by"] === undefined || isPathReason(value["by"]);
}
