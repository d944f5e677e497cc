/** Tells the developer something that must not stop the program: on stderr, or to `process.on("warning")`. */
export function warn(code: "WORLDLINE_RESULT_COPIED" | "WORLDLINE_FAILURE_REPLAYED", message: string): void {
  process.emitWarning(message, { type: "WorldlineWarning", code });
}
