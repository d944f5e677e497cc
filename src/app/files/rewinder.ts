import { systemClock } from "../../disk/system-clock.ts";
import type { SessionView } from "../../machine/view.ts";
import type { FileRewinder } from "../../ports/file-rewinder.ts";
import { type AppContext, quietContext } from "../context.ts";

/**
 * Who takes the files of a rewind back, where it is not our snapshots: the Claude Agent SDK, in a session that it has worked
 * on, where `snapshots.engine` says so. Nothing of it is loaded before it is asked.
 */
export async function rewinderFor(context: AppContext, view: SessionView): Promise<FileRewinder | undefined> {
  const { values } = await context.settings();
  if (values["snapshots.engine"] !== "sdk" || !(await hasWorkedOn(view, "claude"))) return undefined;
  const { sdkRewinder } = await import("../../hosts/claude-agent-sdk/file-rewinder.ts");
  return sdkRewinder({
    workspace: view.header.workspace,
    clock: systemClock,
    open: async () => {
      const { openClaude } = await import("../agent/hosts/open-claude.ts");
      // What there is to say of its settings is said where it begins to work.
      return openClaude(quietContext(context), {});
    },
  });
}

async function hasWorkedOn(view: SessionView, host: string): Promise<boolean> {
  const entries = await view.storedEntries(view.outline.linesOf("host"));
  return entries.some((entry) => entry.kind === "host" && entry.host === host);
}
