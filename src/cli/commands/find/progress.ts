import type { FindProgress } from "../../../finder/find.ts";
import type { Frame } from "../../frame.ts";
import type { PlaceNames } from "./place-names.ts";
import { unjudgedText } from "./text.ts";

/** On standard error, with and without `--json`: which state, what it said, how much is left. */
export function tellProgress(frame: Frame, names: PlaceNames): (progress: FindProgress) => void {
  const { output, strings } = frame;
  const { find } = strings;
  const tryingText = (progress: Extract<FindProgress, { doing: "state" }>): string => {
    const where = progress.why === "present" ? find.present : names.name(progress.state);
    if (progress.why === "between" || progress.why === "newer") {
      return find.trying[progress.why](where, progress.left ?? 1);
    }
    return find.trying[progress.why](where);
  };
  return (progress) => {
    switch (progress.doing) {
      case "state":
        output.notice(tryingText(progress));
        return;
      case "judged":
        output.notice(
          progress.result === "unjudged"
            ? find.judged.unjudged(progress.why === undefined ? "" : unjudgedText(frame, progress.why))
            : find.judged[progress.result],
        );
        return;
      case "change":
        output.notice(find.narrowing(progress.pieces));
        return;
      default:
        progress satisfies never;
    }
  };
}
