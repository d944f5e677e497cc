import type { Notice } from "../../app/notices.ts";
import { isWorldlineError } from "../../record/error.ts";
import { noticeTexts } from "../../show/notice-text.ts";
import { errorOnScreen, screenWording } from "../../strings/errors/wording.ts";
import type { Desk } from "./desk.ts";

/** Shows what went wrong, and the next step. An error that is nobody's word is still shown, and ends nothing. */
export function sayError(desk: Pick<Desk, "say" | "strings">, error: unknown): void {
  if (isWorldlineError(error)) {
    if (error.code === "CANCELLED") return;
    const { message, hint } = errorOnScreen(desk.strings, error);
    desk.say({ tone: "error", line: message, ...(hint === undefined ? {} : { details: hint }) });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  desk.say({ tone: "error", line: desk.strings.terminal.screen.unexpected(message) });
}

/** Shows what a use case reports. */
export function sayNotice(desk: Pick<Desk, "say" | "strings">, notice: Notice): void {
  const words = { strings: desk.strings, ...screenWording(desk.strings) };
  for (const { text, hint } of noticeTexts(notice, words)) {
    desk.say({ tone: "warning", line: text, ...(hint === undefined ? {} : { details: hint }) });
  }
}
