import { changeSetting } from "../../settings/change.ts";
import type { SettingKey } from "../../settings/table.ts";
import type { Seat } from "../here/seat.ts";

/** Has that model answer from the next prompt on; for later sessions too, where a setting is named that keeps it. */
export async function chooseModel(seat: Seat, name: string, kept: SettingKey | undefined): Promise<void> {
  const { agent, frame } = seat.here;
  const heard = { window: 0 };
  const release = agent.on((event) => {
    if (event.type === "session" || event.type === "model") heard.window = event.window;
  });
  try {
    await agent.setModel(name);
  } finally {
    release();
  }
  seat.setModel({ state: "ready", name: agent.model, window: heard.window });
  if (kept === undefined) return;
  const { home } = frame;
  await changeSetting({ home, workspace: agent.workspace, where: "user", key: kept, value: agent.model });
  await seat.refresh();
}
