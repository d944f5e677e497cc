import {
  type CheckpointList,
  checkpointMenu,
  chosenCheckpoint,
} from "../../../app/checkpoints/checkpoint-list.ts";
import type { RestorableExecution } from "../../../app/checkpoints/checkpoint-rows.ts";
import type { FoundCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import type { ScopeOffer } from "../../../app/journeys/journey-types.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { filesText, listedText } from "../../../show/journey-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { shortened } from "../../../show/text-width.ts";
import { relativeTime } from "../../../show/time.ts";
import { askForRow, canAsk } from "../../ask.ts";
import { shellWording, wordingOf } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";

/**
 * Lets the user choose a checkpoint in the workspace or a program's execution. Returns undefined if the user chooses to
 * stay.
 */
export async function pickCheckpoint(frame: Frame): Promise<FoundCheckpoint | undefined> {
  if (!canAsk(frame)) throw new WorldlineError("which-checkpoint", {});
  const menu = await checkpointMenu(frame, { in: "command-line" });
  const { checkpoints, executions } = menu;
  showRows(frame, menu);
  showExecutions(frame, executions, checkpoints.length);
  const number = await askForRow(frame, checkpoints.length + executions.length);
  const picked = checkpoints[number - 1];
  return picked === undefined ? executions[number - 1 - checkpoints.length] : chosenCheckpoint(picked);
}

/**
 * Lists executions below the checkpoints, and continues the numbering of the checkpoints. Prints nothing if there are
 * no executions.
 */
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

function showRows(frame: Frame, { session, checkpoints, all }: CheckpointList): void {
  const { strings, output, surroundings } = frame;
  const now = systemClock.now();
  // If no row has information about files, the files column is left out.
  const isFilesShown = checkpoints.some(({ files }) => files.snapshot !== undefined);
  const rows = checkpoints.map(({ view, checkpoint, files }, index) => [
    String(index + 1),
    view === session ? `#${checkpoint.number}` : `${view.id}:${checkpoint.number}`,
    relativeTime(checkpoint.at, now, strings.time),
    ...(isFilesShown ? [filesText(files, strings)] : []),
    listedText(checkpoint, strings),
  ]);
  output.notice(strings.journeys.pickTitle);
  const columns = columnsOf(surroundings.stderr);
  const { ellipsis } = glyphsFor(surroundings.environment);
  for (const line of table([["0", strings.journeys.current], ...rows])) {
    output.notice(shortened(`  ${line}`, columns, ellipsis));
  }
  if (all > checkpoints.length) {
    const { command } = shellWording(frame.common);
    output.notice(`  ${strings.journeys.pickMore(all - checkpoints.length, command)}`);
  }
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
