import { z } from "zod";
import { done, failed } from "../answers.ts";
import { descriptions } from "../generated/descriptions.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { BackgroundCommands } from "./background-commands.ts";
import { unknownText } from "./bash-output.ts";

const input = z.strictObject({ shell_id: z.string().describe("The id that Bash gave, such as bash_1.") });

export function killShellTool({ background }: { readonly background: BackgroundCommands }): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "KillShell",
    description: descriptions.killShell,
    input,
    // What it ends was asked about when it was started.
    reach: "nothing",
    subjects: async () => [{ kind: "tool" }],
    about: ({ shell_id: id }) => id,
    run: async ({ shell_id: id }) => {
      const command = background.find(id);
      if (command === undefined) return failed(unknownText(background, id));
      if (!command.isRunning()) return done(`${id} had already ended.`);
      await command.stop();
      return done(`Ended ${id} and all that it started.`);
    },
  });
}
