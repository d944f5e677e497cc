import type { App } from "../../app/app.ts";
import type { Demonstrations } from "../../app/find.ts";
import type { OnProgress } from "../../app/journeys/journey-types.ts";
import type { Notice } from "../../app/notices.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { Part } from "../../record/parts.ts";
import { noticeTexts } from "../../show/notice-text.ts";
import type { Command } from "../../strings/commands.ts";
import { errorOnScreen, screenWording } from "../../strings/wording.ts";
import type { AskContext } from "../dialogs/dialog.ts";
import type { NoticeBlock } from "../transcript/block.ts";
import type { Detail } from "../transcript/drawing/draw-block.ts";

/**
 * Functions that commands and flows use to ask the user, show text, wait for work, and start the agent. These functions
 * do not depend on the terminal.
 */
export interface CommandContext extends AskContext {
  readonly app: App;
  /** Adds one line to the conversation. The line is not on the timeline. */
  say(notice: Pick<NoticeBlock, "tone" | "line"> & { readonly details?: string }): void;
  /** Adds a command's answer to the conversation, below the command itself. */
  answer(answer: {
    readonly asked: string;
    readonly text: string;
    readonly form: "markdown" | "plain";
  }): void;
  /** Starts an answer. Each call to the returned function adds a line to the answer. */
  growingAnswer(asked: string): (line: string) => void;
  /** Shows long text on the whole screen until the user closes it. */
  show(page: {
    readonly title: string;
    readonly text: string;
    readonly form: "plain" | "diff" | "markdown";
  }): Promise<void>;
  /**
   * Waits for work while the spinner shows its name. Rejects if the work rejects. With "cancellable", Esc aborts the
   * signal, which the work must respect.
   */
  wait<Result>(
    what: string,
    work: (waiting: WorkContext) => Promise<Result>,
    how?: "cancellable" | "uncancellable",
  ): Promise<Result>;
  /** Puts text into the editor for the user to edit. */
  edit(content: string | readonly Part[]): void;
  /**
   * Puts several inputs into the editor, in front of the text that is being typed. When the text is sent, each of them
   * is sent as a separate input.
   */
  returnToEditor(inputs: readonly (readonly Part[])[]): void;
  /** Sends an input to the model as if the user had typed it. While a turn runs, adds the input to the queue. */
  send(content: string | readonly Part[]): Promise<void>;
  /** Compacts the conversation, in a separate turn. */
  compact(focus: string | undefined): Promise<void>;
  /** Continues a turn that was cut off. */
  resumeTurn(how: "continue" | "retry"): Promise<void>;
  /** Reads the conversation from the timeline again, after a journey or a change of session. */
  reload(): Promise<void>;
  /** Releases the terminal while the work is running. */
  withTerminalReleased<Result>(work: () => Promise<Result>): Promise<Result>;
  setLanguage(language: "en" | "zh-CN"): Promise<void>;
  toggle(panel: "todos" | "unfold"): void;
  /** How much of the conversation is shown. */
  readonly detail: Detail;
  setDetail(detail: Detail): void;
  leave(): void;
  /** Returns a shell command that finds the same sessions. The command names the store if the user did. */
  shellCommand(command: Command): string;
  readonly demonstrations: Demonstrations;
}

export interface WorkContext {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** Shows an error and its hint. An unexpected error is also shown and does not end the program. */
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

/** Runs a flow. If the flow throws, shows the error and skips the rest of the flow. */
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
