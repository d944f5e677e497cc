import { oneLine } from "../../record/printable.ts";
import type { Frame } from "../command/frame.ts";

/** One line that is written over and over while something takes its time. */
export interface Progress {
  show(text: string): void;
  /** Before anything else is printed, and when the work is done. */
  clear(): void;
}

/** What is done by then needs no progress. */
const PATIENCE_MS = 400;
const PAUSE_MS = 100;
const WIPE = "\r\u001b[K";

/** Only where a person looks at it: on a terminal, and not beside a JSON document. */
export function openProgress(
  { output, surroundings }: Pick<Frame, "output" | "surroundings">,
  now: () => number = Date.now,
): Progress {
  const { stderr } = surroundings;
  if (stderr.isTTY !== true || output.mode === "json") return { show: () => {}, clear: () => {} };
  let due = now() + PATIENCE_MS;
  let isShown = false;
  const write = (text: string) => stderr.write(text, () => undefined);
  return {
    show(text) {
      if (now() < due) return;
      due = now() + PAUSE_MS;
      isShown = true;
      write(`${WIPE}${oneLine(text).slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    clear() {
      if (isShown) write(WIPE);
      isShown = false;
    },
  };
}
