import { forgetTrust, readTrust } from "../../../app/settings/trust.ts";
import { WorldlineError } from "../../../record/error.ts";
import { defineCommand } from "../../command/command.ts";

export const untrust = defineCommand({
  description: "From now on this workspace's own settings can only make Worldline more careful.",
  examples: [{ command: "worldline config untrust", meaning: "for the workspace of the current folder" }],
  async run({ frame }) {
    if (frame.common.trust) throw new WorldlineError("trust-and-untrust", {});
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const { byWorkspace } = await readTrust(frame.home);
    if (!byWorkspace.has(workspace)) {
      frame.output.answer({ workspace, outcome: "unchanged" }, () => config.wasNotTrusted(workspace));
      return;
    }
    await forgetTrust({ home: frame.home, workspace });
    frame.output.answer({ workspace, outcome: "untrusted" }, () => config.untrusted(workspace));
  },
});
