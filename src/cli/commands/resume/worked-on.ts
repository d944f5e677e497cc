import type { SessionView } from "../../../machine/view.ts";
import type { Owner } from "../../../ports/lease.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Recap } from "../../../timeline/recap.ts";
import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import { sessionName } from "../../show/session-name.ts";
import type { How } from "./how.ts";

/** Somebody has the session. Its last turn has then not been cut: it is being done. */
export interface WorkedOn {
  readonly view: SessionView;
  readonly recap: Recap;
  readonly worker: Owner;
  readonly wanted: How | undefined;
}

/** Says who it is; whoever wants to go on is refused. */
export async function workedOn(
  { output, strings }: Frame,
  { view, recap, worker, wanted }: WorkedOn,
): Promise<ExitCode> {
  const { name, pid, host, since } = worker;
  const who = strings.sessionsHere.owner(name, pid, host);
  if (wanted !== undefined) {
    throw new WorldlineError("SESSION_HELD", `Session ${view.id} is held by ${who}.`, {
      hint: "Wait until that has ended, or interrupt it there.",
    });
  }
  const turn = { state: "running", by: { name, pid, host, since } };
  const open = { ...recap.open, turn };
  const named = await sessionName(view, strings);
  output.answer({ session: view.id, ...recap, open, choices: [] }, () =>
    [strings.resume.session(named), strings.resume.workedOn(who)].join("\n"),
  );
  return 0;
}
