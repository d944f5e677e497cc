import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { clockTime, dateOf } from "../show/time.ts";
import { holderIn } from "../timeline/holder.ts";

/** The same error in the person's own time, with what they can do: a copy can be worked on at once. */
export async function heldElsewhere(store: LogStore, session: SessionId, error: unknown): Promise<unknown> {
  if (!isWorldlineError(error, "SESSION_HELD")) return error;
  const holder = await holderIn(store, session);
  const copy = `go on in a copy: worldline -r ${session} --fork`;
  if (holder?.owner === undefined || holder.life === "elsewhere") {
    const hint = [error.hint ?? "", `Or ${copy}`].join(" ").trim();
    return new WorldlineError("SESSION_HELD", error.message, { hint, cause: error });
  }
  const { name, pid, host, since } = holder.owner;
  const at = Date.parse(since);
  const message = `Session ${session} is held by ${name} (pid ${pid} on ${host}, since ${dateOf(at)} ${clockTime(at)}).`;
  return new WorldlineError("SESSION_HELD", message, { hint: `Close it there, or ${copy}`, cause: error });
}
