import { constants } from "node:os";
import type { OthersExitCode } from "../../exit.ts";

const BY_SIGNAL = 128;
export const NOT_FOUND = 127;
export const NOT_STARTED = 126;

/** As shells have it: 128 and the signal's number for what a signal ended. */
export function exitOf(code: number | null, signal: NodeJS.Signals | null): OthersExitCode {
  return asExitCode(code ?? BY_SIGNAL + (signal === null ? 0 : (constants.signals[signal] ?? 0)));
}

export function asExitCode(code: number): OthersExitCode {
  return code as OthersExitCode;
}
