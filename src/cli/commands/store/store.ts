import { defineCommand } from "../../command/command.ts";

export const store = defineCommand({
  description: "Looks after the store in which the files of all checkpoints of all workspaces are kept.",
  examples: [
    { command: "worldline store du", meaning: "how much room it takes, and for whom" },
    { command: "worldline store verify", meaning: "read everything, and say what is damaged" },
    { command: "worldline store gc --dry-run", meaning: "what could go" },
  ],
  subcommands: [
    {
      name: "du",
      summary: "how much room the files of checkpoints take",
      load: async () => (await import("./du.ts")).du,
    },
    {
      name: "verify",
      summary: "read everything that is stored, and say what is damaged",
      load: async () => (await import("./verify.ts")).verify,
    },
    {
      name: "gc",
      summary: "remove what nothing needs, and let old checkpoints' files go where there is too much",
      load: async () => (await import("./gc.ts")).gc,
    },
  ],
});
