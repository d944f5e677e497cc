import { requireFiles, withFiles } from "../../../app/files/files.ts";
import {
  checkForkRequest,
  createFork,
  type Forked,
  type ForkSource,
  findForkSource,
  forkInto,
  forkWithFiles,
  previewForkFiles,
} from "../../../app/fork.ts";
import type { DescribedPreview } from "../../../app/journeys/files-preview.ts";
import { withSession } from "../../../app/sessions/find-session.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import { requireConfirmed, type SessionContext, viewSession } from "../../../machine/open.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { SessionBody } from "../../../record/entry.ts";
import { outcomeLines } from "../../../show/journey-text.ts";
import { choice, defineCommand, flag, optional, text } from "../../command.ts";
import { commandAgain, shellWording } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, describeFiles, filesDocument, filesWork, showFiles } from "./files.ts";

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
  run: async ({ arguments: { session }, options, frame: given }) => {
    const { at, files: fate = "keep", into } = options;
    const where = options.here ? "here" : "there";
    checkForkRequest({ at, files: fate, into, where });
    const choice = choiceOf(options);
    const bare = await openSessionDeps(given);
    const frame = await withSession(given, bare.store, session);
    const source = await findForkSource(frame, bare.store, at);
    requireConfirmed(bare.store, source.view.header);
    const travel = { frame, source };
    // Does not open the files in the session's own folder, which may not exist.
    if (where === "here") return answer(travel, bare.store, await forkHere(frame, bare, source));
    return withFiles(frame, source.view.header.workspace, async (here) => {
      const deps = here.files === undefined ? bare : { ...bare, files: here.files };
      const place = { deps, source, here };
      if (into !== undefined) return answer(travel, bare.store, await forkInto(frame, place, into));
      if (fate === "keep") return answer(travel, bare.store, { id: await createFork(deps, source) });
      const { mode } = source.view.header;
      const work = filesWork(frame, { files: requireFiles(here), mode, choice });
      const look = await previewForkFiles(frame, place, work);
      const described = await describeFiles(frame, work, look);
      await showFiles(frame, described, options.yes ? "given" : "absent");
      const forked = await forkWithFiles(frame, place, { work, look });
      return answer({ ...travel, described }, bare.store, forked);
    });
  },
});

async function forkHere(frame: Frame, deps: SessionContext, source: ForkSource): Promise<Forked> {
  const workspace = await frame.workspace();
  const id = await createFork(deps, source, workspace);
  return { id, ...(workspace === source.view.header.workspace ? {} : { folder: workspace }) };
}

interface Travel {
  readonly frame: Frame;
  readonly source: ForkSource;
  /** The preview of the files that was shown before the restore. */
  readonly described?: DescribedPreview;
}

async function answer(
  { frame, source, described }: Travel,
  store: LogStore,
  forked: Forked,
): Promise<ExitCode> {
  const { output, strings } = frame;
  const { view, number } = source;
  const { id, folder, exported, outcome } = forked;
  const { outline, header } = await viewSession(store, id);
  const document = {
    session: id,
    forkedFrom: view.id,
    at: number ?? null,
    entries: outline.length,
    workspace: header.workspace,
    files: filesDocument(frame, described, outcome),
  };
  output.answer(document, () =>
    [
      strings.journeys.forked(id, view.id),
      strings.journeys.forkHolds(outline.length, number),
      ...(folder === undefined || exported === undefined ? [] : [strings.files.exported(exported, folder)]),
      ...(outcome === undefined ? [] : outcomeLines(outcome, strings)),
      ...onward(frame, forked, header.mode),
    ].join("\n"),
  );
  return outcome !== undefined && outcome.failed > 0 ? 1 : 0;
}

/** How to continue in the fork. Neither a program nor an agent can open a fork of an execution. */
function onward(
  { common, strings }: Frame,
  { id, folder }: Forked,
  mode: SessionBody["mode"],
): readonly string[] {
  const { journeys, executions, sessions } = strings;
  if (mode === "execution") {
    return [executions.forkIsForLooking, sessions.lookAt(id, shellWording(common).command)];
  }
  if (folder === undefined) return [journeys.openFork(id)];
  return [journeys.openForkIn(commandAgain(common, { do: "start", folder }))];
}
