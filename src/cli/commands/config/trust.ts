import { provideHome } from "../../../app/places/home.ts";
import { readValues } from "../../../app/settings/file/read-values.ts";
import { readTrustSubject } from "../../../app/settings/settings.ts";
import { recordWholeTrust, trustedPaths } from "../../../app/settings/trust.ts";
import { defineCommand } from "../../command/command.ts";

export const trust = defineCommand({
  description:
    "Until you trust them, a workspace's own settings can only make Worldline more careful, and the servers of its " +
    ".mcp.json are not started; nor does the host claude read its CLAUDE.md and its .claude. Trust is given to this folder and exactly this content: when the files change, it ends.",
  examples: [
    { command: "worldline config --explain", meaning: "look first at what is ignored until trusted" },
    { command: "worldline config trust", meaning: "then accept it" },
  ],
  async run({ frame }) {
    const { config } = frame.strings;
    const workspace = await frame.workspace();
    const subject = await readTrustSubject(frame.home, workspace);
    const files = trustedPaths(subject);
    // A file that cannot be read has not been seen, so it cannot be trusted either.
    for (const content of subject.files) readValues(content, content.layer);
    if (files.length === 0) {
      frame.output.answer({ workspace, trust: "nothing-to-trust", files }, () =>
        config.nothingToTrust(workspace),
      );
      return;
    }
    await provideHome(frame.home);
    await recordWholeTrust(subject);
    frame.output.answer({ workspace, trust: "trusted", files }, () =>
      config.trusted(workspace, files.join(", ")),
    );
  },
});
