import type { Readable } from "node:stream";
import type { App } from "../../app/app-types.ts";
import {
  type AppContext,
  type AppListener,
  type Surroundings as AppSurroundings,
  openContext,
} from "../../app/context.ts";
import type { AppWords } from "../../app/words.ts";
import type { Person } from "../../ports/person.ts";
import type { SessionId } from "../../record/ids.ts";
import { noticeTexts, progressText } from "../../show/notice-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Output } from "../output/output.ts";
import type { OutputStream } from "../output/pipe.ts";
import { openProgress, type Progress } from "../output/progress.ts";
import { commandAgain } from "../places/command-again.ts";
import type { CommonOptions } from "./common-options.ts";

/** What the process gives to the command line, in one place so that tests can give something else. */
export interface Surroundings extends AppSurroundings {
  readonly arguments: readonly string[];
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The terminal front end; absent where there is none, as in commands that the terminal itself runs. */
  readonly screen?: Screen;
}

/** A front end that draws on the whole terminal. It is given to the command line, which imports no other front end. */
export interface Screen {
  /** Gives the terminal back when `run` will not be called. Does nothing when nothing was drawn. */
  giveBack(): void;
  /** Takes the terminal until the user leaves. */
  run(options: ScreenOptions): Promise<ScreenEnd>;
}

export interface ScreenOptions {
  readonly strings: Strings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly firstPrompt?: string;
  /** The user chooses a session first. */
  readonly pick?: "session";
  /** A command for a shell that finds the same sessions. */
  readonly shellCommand: AppWords["shellCommand"];
  /** Aborted by a signal that asks the program to end. */
  readonly told: AbortSignal;
  /** Called once the first frame is drawn, so that the rest loads after it. */
  readonly open: (person: Person, words: AppWords) => Promise<App>;
}

export interface ScreenEnd {
  /** The session to resume. */
  readonly resume?: SessionId;
  /** "hurried": not everything was closed. */
  readonly how: "closed" | "hurried";
  /** What was queued or being typed, and never reached the agent. */
  readonly unsent: readonly string[];
}

/** What every command works in: the context of its use cases, and how it speaks. */
export interface Frame extends AppContext {
  readonly common: CommonOptions;
  readonly surroundings: Surroundings;
  readonly output: Output;
  readonly strings: Strings;
}

export type FrameOptions = Pick<Frame, "common" | "output" | "strings" | "surroundings">;

/** `folder`: the real path of the workspace, where it is known; it may no longer exist. */
export function openFrame(options: FrameOptions, folder?: string): Frame {
  const { common, surroundings } = options;
  const context = openContext({ common, surroundings, listener: printingListener(options) }, folder);
  return { ...context, ...options };
}

/** Prints what use cases report: warnings and notices beside the answer, progress on a line that is written over. */
function printingListener({ common, output, strings, surroundings }: FrameOptions): AppListener {
  let line: Progress | undefined;
  const words = {
    strings,
    message: (problem: unknown) => (problem instanceof Error ? problem.message : String(problem)),
    hint: (problem: unknown) => (problem as { readonly hint?: string }).hint ?? "",
    command: (line: string) => commandAgain(common, line),
  };
  return {
    report: (notice) => {
      for (const { tone, text } of noticeTexts(notice, words)) {
        // A program that reads documents does not read what stands beside them.
        const isInDocument = notice.code === "session-elsewhere" && output.mode === "json";
        if (tone === "warning" || isInDocument) output.warn(text);
        else output.notice(text);
      }
    },
    progress: (progress) => {
      if (progress === "done") {
        line?.clear();
        line = undefined;
        return;
      }
      line ??= openProgress({ output, surroundings });
      line.show(progressText(progress, strings));
    },
    atEnd: (work) => output.beforeFinish(work),
  };
}
