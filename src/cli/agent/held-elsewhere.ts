import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { clockTime, dateOf } from "../show/time.ts";
import { holderOf } from "../timeline/on-disk.ts";

/** The same error in the person's own time, with what they can do: a copy can be worked on at once. */
export function heldElsewhere(home: string, session: SessionId, error: unknown): unknown {
  if (!isWorldlineError(error, "SESSION_HELD")) return error;
  const holder = holderOf(home, session);
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
