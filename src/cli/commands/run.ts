import { changedCounts, summariseChanges } from "../../app/files/changes.ts";
import { currentFolder } from "../../app/places/workspace.ts";
import {
  type Bracket,
  type RunChange,
  type RunContext,
  type RunEvent,
  type RunResult,
  rewindRun,
  runBetweenCheckpoints,
} from "../../app/run.ts";
import type { FilesOutcome } from "../../machine/files/requests.ts";
import { type Remark, reasonFields, WorldlineError } from "../../record/error.ts";
import type { PathChange } from "../../record/files.ts";
import { changeLines, MAX_SHOWN } from "../../show/change-text.ts";
import { outcomeDocument, outcomeLines } from "../../show/journey-text.ts";
import { patchOf } from "../../show/patch.ts";
import { remarkText } from "../../strings/wording.ts";
import { askAgain, canAsk } from "../ask.ts";
import { defineCommand, flag, rest } from "../command.ts";
import { commandAgain, wordingOf } from "../command-again.ts";
import type { ExitCode, OthersExitCode } from "../exit.ts";
import { failureOf } from "../failure.ts";
import type { Frame } from "../frame.ts";
import { countedIn, showFiles } from "./journeys/files.ts";

export const run = defineCommand({
  help: (help) => help.run,
  arguments: { command: rest() },
  options: {
    strict: flag(),
  },
  run: async ({ arguments: { command }, options, frame }) => {
    const [program, ...words] = command;
    if (program === undefined || program === "") throw new WorldlineError("no-command-to-run", {});
    const { stdin, stdout, stderr, cwd } = frame.surroundings;
    const hasTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
    const result = await runBetweenCheckpoints(frame, {
      line: {
        command: program,
        arguments: words,
        cwd: currentFolder(cwd),
        from: hasTerminal ? "terminal" : "program",
      },
      strict: options.strict ? "strict" : "lenient",
      report: (event) => printEvent(frame, event, command),
      conclude: async (run, change) => conclude(frame, run, change),
    });
    return answer(frame, result);
  },
});

function printEvent(frame: Frame, event: RunEvent, command: readonly string[]): void {
  const { output, strings } = frame;
  const { run: words } = strings;
  const whyText = (why: Remark) => remarkText(strings, why, wordingOf(frame));
  switch (event.code) {
    case "protected":
      output.notice(words.before(event.checkpoint, command.join(" ")));
      return;
    case "unprotected":
      output.warn(words.unprotected(whyText(event)));
      return;
    case "partly-protected":
      output.warn(words.partly(whyText(event)));
      return;
    case "not-captured-after":
      output.warn(words.notAfter(whyText(event)));
      return;
    default:
      event satisfies never;
  }
}

/** Shows what the command changed, and keeps or undoes the changes as the user decides. */
async function conclude(
  frame: Frame,
  run: RunContext,
  { before, changes }: RunChange,
): Promise<FilesOutcome | undefined> {
  const { output, strings } = frame;
  if (changes.length === 0) {
    output.notice(strings.run.unchanged);
    return undefined;
  }
  const summary = strings.run.changed(changedCounts(changes));
  const back = commandAgain(frame.common, { do: "rewind", to: { checkpoint: before } });
  if (!canAsk(frame)) {
    output.notice(summary);
    output.notice(strings.run.goBackWith(back));
    return undefined;
  }
  const decided = await decide(frame, run, { summary, changes, before });
  if (decided !== "kept") return decided;
  output.notice(strings.run.keptWith(back));
  return undefined;
}

function answer(frame: Frame, { ran, captured }: RunResult): ExitCode {
  const { common, output, strings, surroundings } = frame;
  if (ran.state === "not-started") {
    output.fail(failureOf(ran.error, { environment: surroundings.environment, strings, common }));
  }
  // The answer is printed only with --json, because otherwise standard output is reserved for the command.
  else if (output.mode === "json") {
    const document = captured === undefined ? {} : capturedDocument(captured);
    output.answer({ code: ran.code, signal: ran.signal, ...document }, () => "");
  }
  return ran.code as OthersExitCode;
}

function capturedDocument({ session, before, after, changes, outcome }: NonNullable<RunResult["captured"]>) {
  return {
    session,
    before: bracketDocument(before),
    after: bracketDocument(after),
    changes: changes === undefined ? null : changedCounts(changes),
    files: outcome === undefined ? null : outcomeDocument(outcome),
  };
}

function bracketDocument({ number, snapshot, why, ...known }: Bracket) {
  const because = why === undefined ? {} : { why, ...reasonFields(known) };
  return { number: number ?? null, snapshot: snapshot ?? null, ...because };
}

interface Decision extends RunChange {
  readonly summary: string;
}

/** Asks what to do with the changes until the answer is clear. Without an answer, the changes are kept. */
async function decide(frame: Frame, run: RunContext, decision: Decision): Promise<"kept" | FilesOutcome> {
  for await (const typed of askAgain(frame.strings.run.question(decision.summary), frame)) {
    switch (meaningOf(typed)) {
      case "keep":
        return "kept";
      case "back":
        return goBack(frame, run, decision.before);
      case "look":
        await list(frame, run, decision.changes);
        break;
      case "patch":
        await patch(frame, run, decision.changes);
        break;
      default:
        frame.output.notice(frame.strings.run.notUnderstood(typed.trim()));
    }
  }
  return "kept";
}

const answers = ["keep", "look", "patch", "back"] as const;

/** Interprets an answer. The first letter is enough, and an empty answer means the default. */
function meaningOf(typed: string): (typeof answers)[number] | undefined {
  const word = typed.trim().toLowerCase();
  return answers.find((answer) => answer.startsWith(word));
}

async function list(frame: Frame, { files }: RunContext, changes: readonly PathChange[]): Promise<void> {
  const summaries = await summariseChanges(changes, files, MAX_SHOWN);
  for (const line of changeLines(summaries, frame.strings)) frame.output.notice(line);
}

async function patch(frame: Frame, { files }: RunContext, changes: readonly PathChange[]): Promise<void> {
  for await (const piece of patchOf(changes, files, frame.strings)) frame.output.notice(piece.trimEnd());
}

/** Rewinds the files to their state before the command. */
async function goBack(frame: Frame, run: RunContext, to: number): Promise<FilesOutcome> {
  const { output, strings } = frame;
  const outcome = await rewindRun(run, to, {
    counted: countedIn(frame),
    decide: async (files) => showFiles(frame, files, "absent"),
  });
  for (const line of outcomeLines(outcome, strings)) output.notice(line);
  output.notice(strings.journeys.redoWith(commandAgain(frame.common, { do: "redo" })));
  return outcome;
}
