import type { App } from "../../app/app.ts";
import type { OnProgress } from "../../app/journeys/journey-types.ts";
import type { Notice } from "../../app/notices.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { Part } from "../../record/parts.ts";
import { noticeTexts } from "../../show/notice-text.ts";
import { errorOnScreen, screenWording } from "../../strings/wording.ts";
import type { AskContext } from "../dialogs/dialog.ts";
import type { NoticeBlock } from "../transcript/block.ts";
import type { Detail } from "../transcript/drawing/draw-block.ts";

/** What a command or a flow can do: ask, show, wait, and start the agent. Independent of the terminal. */
export interface CommandContext extends AskContext {
  readonly app: App;
  /** One line in the conversation. It is not on the timeline. */
  say(notice: Pick<NoticeBlock, "tone" | "line"> & { readonly details?: string }): void;
  /** What a command answers, in the conversation, below what was typed. */
  answer(answer: {
    readonly asked: string;
    readonly text: string;
    readonly form: "markdown" | "plain";
  }): void;
  /** An answer that grows: each call of what it returns adds a line. */
  growingAnswer(asked: string): (line: string) => void;
  /** A long text on the whole screen, until the user leaves it. */
  show(page: {
    readonly title: string;
    readonly text: string;
    readonly form: "plain" | "diff" | "markdown";
  }): Promise<void>;
  /** Has the spinner say what is waited for. Rejects as the work does. "cancellable": Esc aborts the signal, which it heeds. */
  wait<Result>(
    what: string,
    work: (waiting: WorkContext) => Promise<Result>,
    how?: "cancellable" | "uncancellable",
  ): Promise<Result>;
  /** Puts it into the editor, for the user to go on with. */
  edit(content: string | readonly Part[]): void;
  /** Puts several inputs back into the editor, in front of what is being typed there: each is sent as what it was. */
  returnToEditor(inputs: readonly (readonly Part[])[]): void;
  /** Sends it as if it had been typed: to the model, or to its queue while a turn runs. */
  send(content: string | readonly Part[]): Promise<void>;
  /** Has the conversation compacted, as a turn of its own. */
  compact(focus: string | undefined): Promise<void>;
  /** Goes on with a turn that was cut. */
  resumeTurn(how: "continue" | "retry"): Promise<void>;
  /** Reads the conversation again from the timeline: after a journey, or in another session. */
  reload(): Promise<void>;
  /** Gives the terminal away for as long as the work lasts. */
  withTerminalReleased<Result>(work: () => Promise<Result>): Promise<Result>;
  setLanguage(language: "en" | "zh-CN"): Promise<void>;
  toggle(panel: "todos" | "unfold"): void;
  /** How much of the conversation is shown. */
  readonly detail: Detail;
  setDetail(detail: Detail): void;
  leave(): void;
  /** A command for a shell that finds the same sessions: `redo` is `worldline redo`, with the store where it was named. */
  shellCommand(words: string): string;
}

export interface WorkContext {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** Shows what went wrong, and the next step. An unexpected error is shown too, and does not end the program. */
export function showError(context: Pick<CommandContext, "say" | "strings">, error: unknown): void {
  if (isWorldlineError(error)) {
    if (error.code === "CANCELLED") return;
    const { message, hint } = errorOnScreen(context.strings, error);
    context.say({ tone: "error", line: message, ...(hint === undefined ? {} : { details: hint }) });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  context.say({ tone: "error", line: context.strings.terminal.screen.unexpected(message) });
}

/** Shows what a use case reports. */
export function showNotice(context: Pick<CommandContext, "say" | "strings">, notice: Notice): void {
  const words = { strings: context.strings, ...screenWording(context.strings) };
  for (const { text, hint } of noticeTexts(notice, words)) {
    context.say({ tone: "warning", line: text, ...(hint === undefined ? {} : { details: hint }) });
  }
}

/** Says what went wrong, and what to do about it; then nothing else of the flow happens. */
export async function withErrorsShown(
  context: Pick<CommandContext, "say" | "strings">,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    showError(context, error);
  }
}
