import type { LineFault } from "../../../record/codec.ts";
import type { Place } from "../log/positions.ts";

/** What is wrong at one place of the log. It becomes a `Damage` when its line has been counted. */
export interface Fault extends Place {
  readonly why: FaultReason;
  /** How many lines are not there, for "missing" and "cut-off". */
  readonly lines: number;
}

/** The order is part of the index's layout: new reasons go to the end. */
export const FAULT_REASONS = [
  "checksum",
  "not-json",
  "not-utf8",
  "shape",
  "missing",
  "repeated",
  "header",
  "torn-tail",
  "displaced",
  "cut-off",
] as const;
export type FaultReason = LineFault | (typeof FAULT_REASONS)[number];
