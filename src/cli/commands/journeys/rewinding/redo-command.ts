import { isOfPerson } from "../../../../app/sessions/sessions-here.ts";
import type { SessionView } from "../../../../machine/view.ts";
import type { EntryId } from "../../../../record/ids.ts";
import type { Frame } from "../../../command/frame.ts";
import { commandAgain } from "../../../places/command-again.ts";

/**
 * The command that undoes a journey of this session, from where the person stands. The session is the one last used there
 * now, so it is named only where they named one, or where a command does not come upon it by itself.
 */
export async function redoCommand(
  standing: Frame,
  { id, header }: Pick<SessionView, "id" | "header">,
  journey?: EntryId,
): Promise<string> {
  const isFound =
    standing.common.session === undefined &&
    isOfPerson(header) &&
    header.workspace === (await standing.workspace());
  const words = [
    "redo",
    ...(journey === undefined ? [] : [journey]),
    ...(isFound ? [] : [`--session ${id}`]),
  ];
  return commandAgain(standing.common, words.join(" "));
}
