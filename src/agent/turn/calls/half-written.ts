import { turnStateOf } from "../../../machine/looking/turn-state.ts";
import { placeOf } from "../../tools/files/places.ts";
import { sweepBeside } from "../../tools/write/put-file.ts";
import type { Workbench } from "../workbench.ts";

/** A write that was killed may have left half a file beside its place, under a name that nobody else would remove. */
export async function sweepHalfWritten({ session, tools, workspace }: Workbench): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "idle") return;
  for (const { name, about } of turn.openCalls) {
    if (tools.get(name)?.reach === "files") await sweepBeside(await placeOf(workspace, about));
  }
}
