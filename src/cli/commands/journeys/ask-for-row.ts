import { WorldlineError } from "../../../record/error.ts";
import { askAgain } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";

const MOST_MISTYPED = 3;
const ESCAPE_KEY = "\u001b";

/** No answer is the row that was chosen beforehand: to stay. A slip of the fingers is asked again. */
export async function askForRow(frame: Frame, last: number): Promise<number> {
  const { journeys } = frame.strings;
  let mistyped = 0;
  for await (const line of askAgain(journeys.pickQuestion(last), frame)) {
    const text = line.trim();
    if (text === "" || text === ESCAPE_KEY) return 0;
    const row = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (row >= 0 && row <= last) return row;
    mistyped += 1;
    if (mistyped > MOST_MISTYPED) throw notARow(text, last);
    frame.output.notice(journeys.notARow(text, last));
  }
  return 0;
}

function notARow(typed: string, last: number): WorldlineError {
  return new WorldlineError("not-a-row", { typed, last });
}
