import { type Forked, makeFork } from "../../../app/fork.ts";
import { withSession } from "../../../app/sessions/find-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { outcomeLines } from "../../../show/journey-text.ts";
import { choice, defineCommand, flag, optional, text } from "../../command.ts";
import { commandAgain, shellWording } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, countedIn, filesDocument, showFiles } from "./files.ts";

export const fork = defineCommand({
  help: (help) => help.fork,
  arguments: { session: optional() },
  options: {
    at: text("<cp>"),
    files: choice(["keep", "restore"]),
    into: text("<folder>"),
    here: flag(),
    ...choiceOptions,
    yes: flag(),
  },
  run: async ({ arguments: { session }, options, frame: bare }) => {
    const { at, files = "keep", into } = options;
    const frame = await withSession(bare, openStore(bare), session);
    const forked = await makeFork(frame, {
      ...{ at, files, into, where: options.here ? "here" : "there" },
      ...{ choice: choiceOf(options), counted: countedIn(frame) },
      decide: async (described) => showFiles(frame, described, options.yes ? "given" : "absent"),
    });
    return answer(frame, forked);
  },
});

function answer(frame: Frame, forked: Forked): ExitCode {
  const { output, strings } = frame;
  const { source, fork, folder, exported, files, outcome } = forked;
  const { view, number } = source;
  const { id, outline, header } = fork;
  const document = {
    session: id,
    forkedFrom: view.id,
    at: number ?? null,
    entries: outline.length,
    workspace: header.workspace,
    files: filesDocument(frame, files, outcome),
  };
  output.answer(document, () =>
    [
      strings.journeys.forked(id, view.id),
      strings.journeys.forkHolds(outline.length, number),
      ...(folder === undefined || exported === undefined ? [] : [strings.files.exported(exported, folder)]),
      ...(outcome === undefined ? [] : outcomeLines(outcome, strings)),
      ...onward(frame, forked),
    ].join("\n"),
  );
  return outcome !== undefined && outcome.failed > 0 ? 1 : 0;
}

/** Explains how to continue in the fork. Neither a program nor an agent can open a fork of an execution. */
function onward({ common, strings }: Frame, { fork: { id, header }, folder }: Forked): readonly string[] {
  const { journeys, executions, sessions } = strings;
  if (header.mode === "execution") {
    return [executions.forkIsForLooking, sessions.lookAt(id, shellWording(common).command)];
  }
  if (folder === undefined) return [journeys.openFork(id)];
  return [journeys.openForkIn(commandAgain(common, { do: "start", folder }))];
}
