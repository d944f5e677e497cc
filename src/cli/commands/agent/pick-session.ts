import { openStore } from "../../../app/sessions/ground.ts";
import { rowOf, viewsOf } from "../../../app/sessions/session-rows.ts";
import { shortened } from "../../../app/text-width.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/printable.ts";
import { glyphsFor } from "../../../show/glyphs.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import { canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { columnsOf } from "../../output/columns.ts";
import { askForRow } from "../journeys/ask-for-row.ts";

const MOST_ROWS = 20;

/** Lets the person choose from the agent's sessions of the workspace. */
export async function pickSession(frame: Frame): Promise<SessionId> {
  if (!canAsk(frame)) throw new WorldlineError("which-session", {});
  const { strings, output, surroundings } = frame;
  const { views } = await viewsOf(openStore(frame), await frame.workspace());
  const shown = views.filter(({ header }) => header.mode === "agent").slice(0, MOST_ROWS);
  if (shown.length === 0) {
    throw new WorldlineError("no-session-of-an-agent", { workspace: await frame.workspace() });
  }
  const now = systemClock.now();
  const rows = (await Promise.all(shown.map(rowOf))).map(
    ({ id, used, messages, title, unconfirmed }, index) => [
      String(index + 1),
      id,
      relativeTime(used, now, strings.time),
      strings.sessions.messages(messages),
      [
        ...(unconfirmed === undefined ? [] : [strings.sessions.unconfirmed]),
        oneLine(title === "" ? strings.sessions.untitled : title),
      ].join(" "),
    ],
  );
  output.notice(strings.agent.chooseSession);
  const { ellipsis } = glyphsFor(surroundings.environment);
  const columns = columnsOf(surroundings.stderr);
  for (const line of table(rows)) output.notice(shortened(`  ${line}`, columns, ellipsis));
  const picked = shown[(await askForRow(frame, shown.length)) - 1];
  if (picked === undefined) throw new WorldlineError("cancelled", { left: "unchosen" });
  return picked.id;
}
