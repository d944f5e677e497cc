import { heldBy } from "../../../app/agent/held-elsewhere.ts";
import { namedSession } from "../../../app/sessions/choose-session.ts";
import type { Worker } from "../../../app/sessions/holder.ts";
import type { SessionView } from "../../../machine/view.ts";
import { sessionName } from "../../../show/session-name.ts";
import { clockTime } from "../../../strings/clock.ts";
import type { Recap } from "../../../timeline/recap.ts";
import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import { commandAgain } from "../../places/command-again.ts";
import type { How } from "./how.ts";

/** Somebody has the session. Its last turn has then not been cut: it is being done. */
export interface WorkedOn {
  readonly view: SessionView;
  readonly recap: Recap;
  readonly worker: Worker;
  readonly wanted: How | undefined;
}

/** Says who it is; whoever wants to go on is refused. */
export async function workedOn(
  { output, strings, common }: Frame,
  { view, recap, worker, wanted }: WorkedOn,
): Promise<ExitCode> {
  if (wanted !== undefined) throw heldBy(view.id, worker);
  const { name, pid, host, since } = worker.owner;
  const until = worker.until === undefined ? {} : { until: worker.until };
  const turn = { state: "running", by: { name, pid, host, since, ...until } };
  const open = { ...recap.open, turn };
  const named = sessionName(await namedSession(view), strings);
  const copy = commandAgain(common, `-r ${view.id} --fork`);
  output.answer({ session: view.id, ...recap, open, choices: [] }, () =>
    [
      strings.resume.session(named),
      strings.resume.workedOn(strings.sessionsHere.owner(name, pid, host)),
      ...(worker.until === undefined ? [] : [strings.resume.lease(clockTime(Date.parse(worker.until)))]),
      strings.resume.copy(copy),
    ].join("\n"),
  );
  return 0;
}
