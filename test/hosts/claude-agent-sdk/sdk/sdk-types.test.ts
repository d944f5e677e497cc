import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installed, root, run } from "../../../../scripts/run-command.mjs";
import { inTempFolder } from "../../../../src/testing/testing.ts";
import { claudeSdkFolder, describeWithClaude } from "../../../support/claude/describe-with-claude.ts";

describeWithClaude("our page of the SDK's types", () => {
  it("fits the real SDK: it accepts what we give, and we read what it sends", async () => {
    await inTempFolder(async (folder) => {
      const config = {
        extends: join(root, "tsconfig.json"),
        compilerOptions: {
          allowJs: false,
          checkJs: false,
          typeRoots: [join(root, "node_modules", "@types")],
          paths: {
            ours: [join(root, "src/hosts/claude-agent-sdk/sdk/sdk-types.ts")],
            real: [join(claudeSdkFolder(), "sdk.d.ts")],
          },
        },
        files: [join(import.meta.dirname, "fixtures", "fits.mts")],
        include: [],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      expect(await run(installed("tsc"), ["-p", folder, "--pretty", "false"], { show: "collect" })).toEqual({
        code: 0,
        stdout: "",
        output: "",
      });
    });
  });
});
