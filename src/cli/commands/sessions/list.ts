import {
  listSessions,
  type Reach,
  type SessionList,
  type SessionRow,
} from "../../../app/sessions/session-rows.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { oneLine, visibleName } from "../../../record/visible-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { shortened } from "../../../show/text-width.ts";
import { relativeTime } from "../../../show/time.ts";
import { remarkText } from "../../../strings/wording.ts";
import { defineCommand, flag } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";

export const list = defineCommand({
  help: (help) => help.sessionsList,
  options: {
    all: flag(),
    subAgents: flag(),
  },
  run: async ({ options: { all, subAgents }, frame }) =>
    answerSessions(frame, all ? "everywhere" : "here", subAgents ? "listed" : "hidden"),
});

export async function answerSessions(
  frame: Frame,
  reach: Reach,
  subAgents: "listed" | "hidden" = "hidden",
): Promise<void> {
  const found = await listSessions(frame, { reach, subAgents });
  const { workspace = null, rows, broken, elsewhere, inTrash } = found;
  const document = { workspace, sessions: rows.map(documentOf), broken, elsewhere, inTrash };
  frame.output.answer(document, () => {
    const lines = [...listLines(rows, frame, reach), ...brokenLines(found, frame)];
    return [
      ...(lines.length === 0 ? emptyLines(found, frame) : lines),
      ...(inTrash === 0 ? [] : [frame.strings.sessions.inTrash(inTrash, shellWording(frame.common).command)]),
    ].join("\n");
  });
}

function documentOf({ created, used, isNamedAsSource: _, ...rest }: SessionRow) {
  return { ...rest, created: new Date(created).toISOString(), used: new Date(used).toISOString() };
}

const TITLE_COLUMNS = 60;

function listLines(rows: readonly SessionRow[], frame: Frame, reach: Reach): string[] {
  const { strings, surroundings } = frame;
  const { ellipsis } = glyphsFor(surroundings.environment);
  const now = systemClock.now();
  const lines = table(
    rows.map((row) => [
      row.id,
      relativeTime(row.used, now, strings.time),
      strings.sessions.messages(row.messages),
      strings.sessions.checkpoints(row.checkpoints),
      reach === "everywhere" ? shortened(titleOf(row, frame), TITLE_COLUMNS, ellipsis) : titleOf(row, frame),
      ...(reach === "everywhere" || row.workspace === "" ? [placeOf(row, frame)] : []),
    ]),
  );
  return lines.map((line) => shortened(line, columnsOf(surroundings.stdout), ellipsis));
}

/**
 * Returns the title with its marks. The marks precede the title, so that a narrow screen cuts off only the end of the
 * title.
 */
function titleOf(
  { title, mode, host, forkedFrom, task, damage, unconfirmed }: SessionRow,
  { strings: { phrases, sessions } }: Frame,
): string {
  const untitled = mode === "workspace" ? phrases.aside("", sessions.modes.workspace) : sessions.untitled;
  return oneLine(
    [
      ...(unconfirmed === undefined ? [] : [sessions.unconfirmed]),
      ...(damage === 0 ? [] : [sessions.damaged(damage)]),
      title === "" ? untitled : visibleName(title),
      ...(host === undefined ? [] : [sessions.withHost(host)]),
      ...(forkedFrom === undefined ? [] : [sessions.forkedFrom(forkedFrom.session)]),
      ...(task === undefined ? [] : [sessions.subAgentOf(task.session)]),
    ].join(" "),
  );
}

function placeOf({ workspace }: SessionRow, { strings: { sessions } }: Frame): string {
  return workspace === "" ? sessions.workspaceLost : sessions.inWorkspace(oneLine(workspace));
}

function brokenLines({ broken }: SessionList, { output, strings }: Frame): string[] {
  return broken.map(({ id, ...why }) =>
    output.style.red(oneLine(strings.sessions.broken(id, remarkText(strings, why)))),
  );
}

function emptyLines({ elsewhere }: SessionList, { common, strings: { sessions } }: Frame): string[] {
  return [
    sessions.none,
    ...(elsewhere === 0 ? [] : [sessions.elsewhere(elsewhere, shellWording(common).command)]),
  ];
}
