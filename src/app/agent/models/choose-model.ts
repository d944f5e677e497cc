import type { SessionSwitcher } from "../../current/session-switcher.ts";
import { changeSetting } from "../../settings/change.ts";
import type { SettingKey } from "../../settings/table.ts";

/** Has that model answer from the next prompt on; for later sessions too, where a setting is named that keeps it. */
export async function chooseModel(
  switcher: SessionSwitcher,
  name: string,
  kept: SettingKey | undefined,
): Promise<void> {
  const { agent, context } = switcher.here;
  const heard = { window: 0 };
  const release = agent.on((event) => {
    if (event.type === "session" || event.type === "model") heard.window = event.window;
  });
  try {
    await agent.setModel(name);
  } finally {
    release();
  }
  switcher.setModel({ state: "ready", name: agent.model, window: heard.window });
  if (kept === undefined) return;
  const { home } = context;
  await changeSetting({ home, workspace: agent.workspace, where: "user", key: kept, value: agent.model });
  await switcher.refresh();
}
