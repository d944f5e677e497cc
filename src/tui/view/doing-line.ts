import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Doing } from "../../ports/agent-events.ts";
import type { Look } from "../look/look.ts";
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
  const rest = going.canStop === "yes" ? `${since} · ${screen.escStops}` : since;
  return truncateToWidth(
    `${paint.accent(frame)} ${going.what} ${paint.dim(`(${rest})`)}`,
    width,
    glyphs.ellipsis,
  );
}

interface Going {
  readonly what: string;
  readonly since: number;
  readonly canStop: "yes" | "no";
}

function goingOn(view: ViewState, look: Look): Going | undefined {
  const { screen } = look.strings.terminal;
  const { waiting, doing, turnSince, phase } = view;
  if (waiting !== undefined) {
    const what = waiting.progress === undefined ? waiting.what : `${waiting.what} ${waiting.progress}`;
    return { what, since: waiting.since, canStop: phase === "opening" ? "no" : "yes" };
  }
  if (turnSince === undefined) return captureBeside(doing, look);
  const what = doing === undefined ? screen.doing.working : doingText(doing.doing, look);
  const since = doing === undefined || doing.doing.what === "nothing" ? turnSince : doing.since;
  return { what, since, canStop: "yes" };
}

/** Between turns only a capture is worth a line. */
function captureBeside(doing: ViewState["doing"], look: Look): Going | undefined {
  if (doing?.doing.what !== "capturing") return undefined;
  return { what: doingText(doing.doing, look), since: doing.since, canStop: "no" };
}

function doingText(doing: Doing, { strings }: Look): string {
  const { doing: words } = strings.terminal.screen;
  switch (doing.what) {
    case "thinking":
      return words.thinking;
    case "tool":
      return words.tool(doing.name, singleLine(doing.about));
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

function singleLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
