import { visibleWidth } from "@earendil-works/pi-tui";
import type { SessionRow } from "../../../app/sessions/session-types.ts";
import { visibleName } from "../../../record/visible-text.ts";
import { padded } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { ago } from "../pieces/ago.ts";
import { cut } from "../pieces/lines.ts";

const NARROW = 60;
const MOST_FOLDER = 24;

/** Title, messages, date; where the session is, if sessions of all workspaces are shown; who has it open. */
export function sessionLine(
  row: SessionRow,
  { width, of }: { width: number; of: "workspace" | "all" },
  look: Look,
): string {
  const { strings } = look;
  const words = strings.terminal.dialogs.sessions;
  const date = ago(row.at, look.now, strings);
  const folder = of === "all" ? ` ${cut(baseName(row.workspace), MOST_FOLDER, look)}` : "";
  const held = row.heldBy === undefined ? "" : ` ${words.held}`;
  const unconfirmed = row.unconfirmed === undefined ? "" : ` ${words.unconfirmed}`;
  const here = row.place === "here" ? ` ${words.here}` : "";
  const messages = width < NARROW ? String(row.messages) : words.messages(row.messages);
  const right = `${messages}  ${date}${folder}`;
  const room = Math.max(8, width - visibleWidth(right) - 2);
  const marks = `${here}${held}${unconfirmed}`;
  // A long title must not push out what is said of the session.
  const name = cut(visibleName(row.title), Math.max(4, room - visibleWidth(marks)), look);
  const title = cut(`${name}${marks}`, room, look);
  return cut(`${padded(title, room)}  ${right}`, width, look);
}

function baseName(path: string): string {
  return path.split(/[\\/]/u).findLast((part) => part !== "") ?? path;
}
