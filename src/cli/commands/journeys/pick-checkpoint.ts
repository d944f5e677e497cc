import {
  filesOfCheckpoints,
  type ListedCheckpoint,
  type ListedFiles,
  listCheckpoints,
  refreshPublished,
} from "../../../app/checkpoints/checkpoint-list.ts";
import { type RestorableExecution, restorableExecutions } from "../../../app/checkpoints/checkpoint-rows.ts";
import type { FoundCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { withFilesIfAny } from "../../../app/files/files.ts";
import type { ScopeOffer } from "../../../app/journeys/journey-types.ts";
import { noteActivity } from "../../../app/places/home.ts";
import { chooseSession, requireSession, sessionsHere } from "../../../app/sessions/find-session.ts";
import { shortened } from "../../../app/text-width.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { filesText, listedText } from "../../../show/journey-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { requireCheckpoint } from "../../../travel/rewind.ts";
import { askForRow, canAsk } from "../../ask.ts";
import { shellWording, wordingOf } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";

const MAX_ROWS = 30;
/** `worldline executions` lists the rest. */
const MAX_EXECUTIONS = 5;

/**
 * Lets the user choose a checkpoint of the workspace, or an execution of a program in it. Undefined if the user chooses
 * to stay.
 */
export async function pickCheckpoint(frame: Frame, store: LogStore): Promise<FoundCheckpoint | undefined> {
  if (!canAsk(frame)) throw new WorldlineError("which-checkpoint", {});
  const executions = await restorableExecutions(store, await frame.workspace(), MAX_EXECUTIONS);
  const session =
    executions.length === 0 ? await requireSession(frame, store) : await chooseSession(frame, store);
  await noteActivity(frame.home, {
    did: "rewind-menu-opened",
    in: "command-line",
    ...(session === undefined ? {} : { session: session.id }),
  });
  const others = (await sessionsHere(frame, store)).filter(({ id }) => id !== session?.id);
  const views = session === undefined ? others : [session, ...others];
  const listed = await listCheckpoints(views, { steps: "hidden" });
  await refreshPublished(frame, store, views);
  if (listed.length === 0 && executions.length === 0) {
    throw new WorldlineError("no-checkpoints", {});
  }
  const shown = listed.slice(0, MAX_ROWS);
  const files = session === undefined ? new Map() : await filesOfRows(frame, shown, { store, session });
  showRows(frame, shown, { all: listed.length, session: session?.id ?? "", files });
  showExecutions(frame, executions, shown.length);
  const number = await askForRow(frame, shown.length + executions.length);
  const picked = shown[number - 1];
  if (picked === undefined) return executions[number - 1 - shown.length];
  return { view: picked.view, row: requireCheckpoint(picked.view.outline, picked.checkpoint.number) };
}

/** Lists executions below the checkpoints, and continues the checkpoints' numbers. Prints nothing if there are none. */
function showExecutions(frame: Frame, executions: readonly RestorableExecution[], before: number): void {
  if (executions.length === 0) return;
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const { ellipsis } = glyphsFor(surroundings.environment);
  output.notice(strings.executions.restoreHeading);
  const rows = executions.map(({ row, step }, index) => [
    String(before + index + 1),
    relativeTime(row.at, now, strings.time),
    oneLine(strings.executions.restoreRow(step.execution, step.name)),
  ]);
  for (const line of table(rows)) {
    output.notice(shortened(`  ${line}`, columnsOf(surroundings.stderr), ellipsis));
  }
}

function showRows(
  frame: Frame,
  shown: readonly ListedCheckpoint[],
  { all, session, files }: { readonly all: number; readonly session: string; readonly files: FilesTexts },
): void {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  const rows = shown.map(({ view, checkpoint }, index) => [
    String(index + 1),
    view.id === session ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
    relativeTime(checkpoint.at, now, strings.time),
    ...(files.size === 0 ? [] : [files.get(index) ?? ""]),
    listedText(checkpoint, strings),
  ]);
  output.notice(strings.journeys.pickTitle);
  const columns = columnsOf(surroundings.stderr);
  const { ellipsis } = glyphsFor(surroundings.environment);
  for (const line of table([["0", strings.journeys.current], ...rows])) {
    output.notice(shortened(`  ${line}`, columns, ellipsis));
  }
  if (all > shown.length) {
    const { command } = shellWording(frame.common);
    output.notice(`  ${strings.journeys.pickMore(all - shown.length, command)}`);
  }
}

/**
 * What to show about the files of each row. Empty if nothing is known about any row, so that the column is left out.
 */
type FilesTexts = ReadonlyMap<number, string>;

async function filesOfRows(
  frame: Frame,
  shown: readonly ListedCheckpoint[],
  { store, session }: { readonly store: LogStore; readonly session: SessionView },
): Promise<FilesTexts> {
  return withFilesIfAny(frame, session.header.workspace, async (files) => {
    const views = new Set(shown.map(({ view }) => view));
    const known = new Map<SessionView, ReadonlyMap<number, ListedFiles>>();
    for (const view of views) known.set(view, await filesOfCheckpoints(store, view, files));
    const listed = shown.map(({ view, checkpoint }) => known.get(view)?.get(checkpoint.number));
    if (listed.every((each) => each?.snapshot === undefined)) return new Map();
    return new Map(
      listed.map((each, index) => [index, each === undefined ? "" : filesText(each, frame.strings)]),
    );
  });
}

/** Asks for the scope. If the user does not answer, nothing is rewound. */
export async function pickScope(frame: Frame, { scopes, without }: ScopeOffer): Promise<Scope | "stay"> {
  const { files } = frame.strings;
  if (without !== undefined) frame.output.notice(files.stay(wordingOf(frame).message(without)));
  frame.output.notice(files.scopeTitle);
  const rows = scopes.map((scope, index) => [String(index + 1), files.scopes[scope]]);
  for (const line of table([["0", files.nothingGoesBack], ...rows])) frame.output.notice(`  ${line}`);
  return scopes[(await askForRow(frame, scopes.length)) - 1] ?? "stay";
}
