import { claudeSdkPackage, wantedClaudeSdk } from "../claude-sdk.mjs";
import { run } from "../run-command.mjs";

/**
 * The package from npm. It is installed as the user who runs the tests, because it is written only to one folder of
 * this project.
 * @type {import("../needs.mjs").Source}
 */
export const claudeSdkSource = {
  place: "to install it, run `npm ci` in test/claude-sdk",
  installing: `npm ci of @anthropic-ai/claude-agent-sdk ${wantedClaudeSdk()}, about 414 MB from npm under a proprietary licence, only into test/claude-sdk/node_modules`,
  hindrance: async () => undefined,
  install: async () => {
    // (npm does not read the .npmrc of a parent folder. That folder has its own .npmrc with the same settings, for
    // manual installation.)
    const { code } = await run("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit"], {
      cwd: claudeSdkPackage,
    });
    return code === 0;
  },
};
