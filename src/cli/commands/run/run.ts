import { openFiles } from "../../../app/files/files.ts";
import { currentFolder } from "../../../app/places/workspace.ts";
import { type Beside, type Bracket, bracket, NAME, watchBeside } from "../../../app/run.ts";
import { provideGround } from "../../../app/sessions/store.ts";
import { FilesHolder } from "../../../app/watch.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathChange } from "../../../record/files.ts";
import { outcomeDocument } from "../../../show/files/journey-text.ts";
import { seenChanges } from "../../../travel/plan-files.ts";
import { canAsk } from "../../ask.ts";
import { defineCommand, flag, rest } from "../../command.ts";
import { commandAgain } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import { failureOf } from "../../failure.ts";
import type { Frame } from "../../frame.ts";
import { changedCounts } from "../watch/changed-counts.ts";
import { letGo } from "../watch/let-go.ts";
import { ownSession } from "../watch/own-session.ts";
import { decide, type RunGround } from "./decide.ts";
import { type CommandLine, type Ran, runCommand } from "./run-command.ts";

export const run = defineCommand({
  description:
    "Runs any command with the terminal as its own, between two checkpoints of the workspace's files, and makes more while it " +
    "runs, as `worldline watch` does. Afterwards it says what changed, and asks: keep, look, or go back. Without a terminal " +
    "it prints the command that goes back. The exit code is the command's (126 and 127 where it could not be started).",
  arguments: { command: rest("the command and its arguments, after --") },
  options: {
    strict: flag("do not run the command unless all files are captured before it"),
  },
  examples: [
    {
      command: "worldline run -- npm audit fix --force",
      meaning: "see what it did, and go back if it did harm",
    },
    { command: "worldline run -- claude", meaning: "any agent, with a way back" },
    { command: "worldline run --strict -- sh -c 'rm -rf build && make'", meaning: "only with a way back" },
    {
      command: "worldline run --json -- make > run.json",
      meaning: "what changed, as JSON behind what it prints",
    },
  ],
  run: async ({ arguments: { command }, options, frame }) => {
    const [program, ...words] = command;
    if (program === undefined || program === "") throw commandMissing();
    const line = { command: program, arguments: words, cwd: currentFolder(frame.surroundings.cwd) };
    const strict = options.strict ? "strict" : "lenient";
    const here = await openFiles(frame, await frame.workspace());
    if (here.state !== "on") {
      unprotected(frame, here.why, strict);
      return finish(frame, await runCommand(frame, line));
    }
    const holder = new FilesHolder(async () => here.files);
    const files = await holder.get();
    try {
      const ground = await provideGround(frame);
      const own = await ownSession(frame, ground, NAME);
      if (own.workspace !== files.folder) throw elsewhere(own.workspace);
      return await runBetween({ context: frame, frame, ground, files, session: own.id }, { line, strict });
    } finally {
      // Whatever the store could not take: the exit code is the command's.
      await letGo(frame, holder);
    }
  },
});

interface Wanted {
  readonly line: CommandLine;
  readonly strict: "strict" | "lenient";
}

async function runBetween(ground: RunGround, { line, strict }: Wanted): Promise<ExitCode> {
  const { frame, session } = ground;
  const before = await bracket(ground, "outside");
  tellBefore(frame, before, { line, strict });
  const beside = await watchedBeside(ground, before);
  let ran: Ran;
  try {
    ran = await runCommand(frame, line);
  } finally {
    await beside?.end();
  }
  if (ran.state === "not-started") return finish(frame, ran);
  const after = await bracket(ground, "timeline");
  if (after.snapshot === undefined) frame.output.warn(frame.strings.run.notAfter(after.why ?? ""));
  const changes = await changesBetween(ground, before, after);
  const outcome = await conclude(ground, { before, changes });
  const document = {
    session,
    before: bracketDocument(before),
    after: bracketDocument(after),
    changes: changes === undefined ? null : changedCounts(changes),
    files: outcome === undefined ? null : outcomeDocument(outcome),
  };
  return finish(frame, ran, document);
}

function tellBefore(frame: Frame, { number, snapshot, why }: Bracket, { line, strict }: Wanted): void {
  if (snapshot === undefined || number === undefined) {
    unprotected(frame, why ?? "", strict);
    return;
  }
  if (why !== undefined) partly(frame, why, strict);
  frame.output.notice(frame.strings.run.before(number, [line.command, ...line.arguments].join(" ")));
}

async function watchedBeside(ground: RunGround, { snapshot, seen }: Bracket): Promise<Beside | undefined> {
  if (snapshot === undefined) return undefined;
  const { values } = await ground.frame.settings();
  const pace = { quietMs: values["watch.quietMs"], maxMs: values["watch.maxMs"] };
  return watchBeside({ ...ground, seen, name: NAME }, { pace, snapshot });
}

async function changesBetween(
  { files }: RunGround,
  before: Bracket,
  after: Bracket,
): Promise<readonly PathChange[] | undefined> {
  if (before.snapshot === undefined || after.snapshot === undefined) return undefined;
  return seenChanges(await files.compare(before.snapshot, after.snapshot));
}

/** Says what the command did, and does with it what the person wants. */
async function conclude(
  ground: RunGround,
  { before, changes }: { readonly before: Bracket; readonly changes: readonly PathChange[] | undefined },
): Promise<FilesOutcome | undefined> {
  const { frame } = ground;
  const { output, strings } = frame;
  if (changes === undefined || before.number === undefined) return undefined;
  if (changes.length === 0) {
    output.notice(strings.run.unchanged);
    return undefined;
  }
  const summary = strings.run.changed(changedCounts(changes));
  const back = commandAgain(frame.common, `rewind ${before.number}`);
  if (!canAsk(frame)) {
    output.notice(summary);
    output.notice(strings.run.goBackWith(back));
    return undefined;
  }
  const decided = await decide(ground, { summary, changes, before: before.number });
  if (decided !== "kept") return decided;
  output.notice(strings.run.keptWith(back));
  return undefined;
}

function finish(frame: Frame, ran: Ran, document: Readonly<Record<string, unknown>> = {}): ExitCode {
  const { common, strings, surroundings } = frame;
  if (ran.state === "not-started") {
    frame.output.fail(failureOf(ran.error, { environment: surroundings.environment, strings, common }));
  }
  // Only for --json: standard output is the command's.
  else if (frame.output.mode === "json") {
    frame.output.answer({ code: ran.code, signal: ran.signal, ...document }, () => "");
  }
  return ran.code;
}

function bracketDocument({ number, snapshot, why }: Bracket) {
  return { number: number ?? null, snapshot: snapshot ?? null, ...(why === undefined ? {} : { why }) };
}

function unprotected({ output, strings }: Frame, why: string, strict: Wanted["strict"]): void {
  if (strict === "strict") throw new WorldlineError("command-unprotected", { why });
  output.warn(strings.run.unprotected(why));
}

function partly({ output, strings }: Frame, why: string, strict: Wanted["strict"]): void {
  if (strict === "strict") throw new WorldlineError("command-partly-protected", { why });
  output.warn(strings.run.partly(why));
}

function commandMissing(): WorldlineError {
  return new WorldlineError("no-command-to-run", {});
}

function elsewhere(workspace: string): WorldlineError {
  return new WorldlineError("session-of-other-workspace", { workspace });
}
