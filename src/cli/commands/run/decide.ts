import { summariseChanges } from "../../../app/files/changes.ts";
import { type BracketGround, NAME } from "../../../app/run.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import type { PathChange } from "../../../record/files.ts";
import { changeLines, MOST_SHOWN } from "../../../show/files/change-text.ts";
import { outcomeLines } from "../../../show/files/journey-text.ts";
import { patchOf } from "../../../show/files/patch.ts";
import { askAgain } from "../../ask.ts";
import { commandAgain } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { filesWork, lookAtFiles, showFiles } from "../journeys/files.ts";

/** The session and the files that the command works on. */
export interface RunGround extends BracketGround {
  readonly frame: Frame;
}

export interface Decision {
  readonly summary: string;
  readonly changes: readonly PathChange[];
  /** The checkpoint before the command. */
  readonly before: number;
}

/** Asks what to do with what the command did, until it is clear; who says nothing keeps it. */
export async function decide(ground: RunGround, decision: Decision): Promise<"kept" | FilesOutcome> {
  const { frame } = ground;
  for await (const typed of askAgain(frame.strings.run.question(decision.summary), frame)) {
    switch (meaningOf(typed)) {
      case "keep":
        return "kept";
      case "back":
        return goBack(ground, decision.before);
      case "look":
        await list(ground, decision.changes);
        break;
      case "patch":
        await patch(ground, decision.changes);
        break;
      default:
        frame.output.notice(frame.strings.run.notUnderstood(typed.trim()));
    }
  }
  return "kept";
}

const answers = ["keep", "look", "patch", "back"] as const;

/** The first letter is enough; nothing at all is the default. */
function meaningOf(typed: string): (typeof answers)[number] | undefined {
  const word = typed.trim().toLowerCase();
  return answers.find((answer) => answer.startsWith(word));
}

async function list({ frame, files }: RunGround, changes: readonly PathChange[]): Promise<void> {
  const summaries = await summariseChanges(changes, files, MOST_SHOWN);
  for (const line of changeLines(summaries, frame.strings)) frame.output.notice(line);
}

async function patch({ frame, files }: RunGround, changes: readonly PathChange[]): Promise<void> {
  for await (const piece of patchOf(changes, files, frame.strings)) frame.output.notice(piece.trimEnd());
}

/** The files as they were before the command. The conversation, if the session has one, stays. */
async function goBack({ frame, ground, files, session: id }: RunGround, to: number): Promise<FilesOutcome> {
  return withHeld({ context: frame, ground, files, session: id, name: NAME }, async (session) => {
    const work = filesWork(frame, { files, mode: session.header.mode, only: [], choice: undefined });
    const looked = await lookAtFiles(frame, work, (wish) => session.previewFiles({ ...wish, to }));
    await showFiles(frame, looked, "absent");
    const { files: outcome } = await work.patiently((wish) =>
      session.rewind({ ...wish, ...looked.wish, to, scope: "files" }),
    );
    for (const line of outcomeLines(outcome, frame.strings)) frame.output.notice(line);
    frame.output.notice(frame.strings.journeys.redoWith(commandAgain(frame.common, "redo")));
    return outcome;
  });
}
