import { visibleWidth } from "@earendil-works/pi-tui";
import type { Doing } from "../../ports/agent-events.ts";
import { clip } from "../look/clip.ts";
import type { Look } from "../look/look.ts";
import { oneLine } from "../look/printable.ts";
import { shownAbout } from "../transcript/shown-about.ts";
import { durationText } from "./measures.ts";
import type { ViewState } from "./view-state.ts";

const FRAME_MS = 120;

/** The one line that moves: what is happening, and for how long. Undefined while nothing is. */
export function doingLine(view: ViewState, width: number, look: Look): string | undefined {
  const going = goingOn(view, look);
  if (going === undefined) return undefined;
  const { paint, glyphs, strings, now } = look;
  const { screen } = strings.terminal;
  const frame = glyphs.spinner[Math.floor(now / FRAME_MS) % glyphs.spinner.length] ?? "";
  const since = durationText(now - going.since, screen);
  const rest = ` (${[since, ...(going.stop === undefined ? [] : [screen[going.stop]])].join(" · ")})`;
  // What is done gives way: how long it takes and how to stop it are what one looks for.
  const room = Math.max(0, width - visibleWidth(frame) - 1 - visibleWidth(rest));
  return clip(
    `${paint.accent(frame)} ${clip(oneLine(going.what), room, glyphs.ellipsis)}${paint.dim(rest)}`,
    width,
    glyphs.ellipsis,
  );
}

interface Going {
  readonly what: string;
  readonly since: number;
  /** What says which key stops it; undefined where none does. */
  readonly stop: "escStops" | "controlCStops" | undefined;
}

function goingOn(view: ViewState, look: Look): Going | undefined {
  const { screen } = look.strings.terminal;
  const { waiting, doing, turnSince } = view;
  if (waiting !== undefined) {
    const what = waiting.progress === undefined ? waiting.what : `${waiting.what} ${waiting.progress}`;
    return { what, since: waiting.since, stop: waiting.how === "stoppable" ? "escStops" : undefined };
  }
  if (turnSince === undefined) return captureBeside(view, look);
  const what = doing === undefined ? screen.doing.working : doingText(doing.doing, view, look);
  const since = doing === undefined || doing.doing.what === "nothing" ? turnSince : doing.since;
  // Esc leaves the question, and not the turn.
  return { what, since, stop: doing?.doing.what === "asking" ? "controlCStops" : "escStops" };
}

/** Between turns only a capture is worth a line. */
function captureBeside(view: ViewState, look: Look): Going | undefined {
  const { doing } = view;
  if (doing?.doing.what !== "capturing") return undefined;
  return { what: doingText(doing.doing, view, look), since: doing.since, stop: undefined };
}

function doingText(doing: Doing, { workspace }: ViewState, { strings }: Look): string {
  const { doing: words } = strings.terminal.screen;
  switch (doing.what) {
    case "thinking":
      return words.thinking;
    case "tool":
      return words.tool(doing.name, shownAbout(doing, workspace));
    case "asking":
      return words.asking;
    case "capturing":
      return words.capturing(progressOf(doing, words));
    case "waiting-for-capture":
      return words.waiting(progressOf(doing, words));
    case "compacting":
      return words.compacting;
    case "nothing":
      return words.working;
  }
}

function progressOf(
  { files, ofFiles }: { readonly files: number; readonly ofFiles: number },
  words: Look["strings"]["terminal"]["screen"]["doing"],
): string {
  return ofFiles > 0 ? words.files(files, ofFiles) : "";
}
