import type { Notice } from "../../app/notices.ts";
import { isWorldlineError } from "../../record/error.ts";
import { noticeTexts } from "../../show/notice-text.ts";
import { errorText } from "../../strings/error-text.ts";
import { hintOnScreen } from "../../strings/hint-on-screen.ts";
import type { Desk } from "./desk.ts";

/** Shows what went wrong, and the next step. An error that is nobody's word is still shown, and ends nothing. */
export function sayError(desk: Pick<Desk, "say" | "strings">, error: unknown): void {
  if (isWorldlineError(error)) {
    if (error.code === "CANCELLED") return;
    desk.say({
      tone: "error",
      line: errorText(desk.strings, error),
      ...(error.hint === undefined ? {} : { details: error.hint }),
    });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  desk.say({ tone: "error", line: desk.strings.terminal.screen.unexpected(message) });
}

/** Shows what a use case reports. */
export function sayNotice(desk: Pick<Desk, "say" | "strings">, notice: Notice): void {
  const words = {
    strings: desk.strings,
    message: (problem: unknown) => (problem instanceof Error ? problem.message : String(problem)),
    hint: (problem: unknown) => (problem as { readonly hint?: string }).hint ?? "",
    command: (line: string) => `worldline ${line}`,
  };
  for (const { text, hint } of noticeTexts(notice, words)) {
    const details = hint === undefined ? {} : { details: hintOnScreen(hint) };
    desk.say({ tone: "warning", line: hintOnScreen(text), ...details });
  }
}
