import { recapOf } from "../../machine/looking/recap.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Frame } from "../command/frame.ts";
import { recapText } from "../show/agent/recap-text.ts";

/** What every resume opens with: done, open, next; without a model. */
export async function recapHere(frame: Frame, session: SessionView): Promise<string> {
  return recapText(await recapOf(session), frame.strings);
}
