import { systemClock } from "../../disk/system-clock.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { openStore } from "./ground.ts";

/** To the trash, unless another program has it. What has been there for too long is removed by the next command that tidies. */
export async function trashSession(context: AppContext, session: SessionId): Promise<void> {
  const store = openStore(context);
  const { takeOver } = context.common;
  const lease = await store.lease(session, {
    name: "worldline, a session list",
    waitMs: 0,
    takeOver,
    room: "reserve",
  });
  try {
    await store.trash(session, systemClock.now());
  } finally {
    await lease.release();
  }
}
