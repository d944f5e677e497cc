import { defineCommand } from "../../command.ts";

export const sessions = defineCommand({
  description:
    "Lists the sessions of this workspace; the commands below show, search, name, delete, export and import them. " +
    "A session is named by its id, the beginning of it, or its title.",
  examples: [
    { command: "worldline sessions", meaning: "the sessions of this workspace" },
    { command: "worldline sessions list --all", meaning: "of all workspaces" },
    { command: 'worldline sessions search "connection pool"', meaning: "where something was said" },
    { command: "worldline sessions export k3f9 -o leak.md", meaning: "a transcript to read" },
  ],
  subcommands: [
    {
      name: "list",
      summary: "list sessions, last used first",
      load: async () => (await import("./list.ts")).list,
    },
    {
      name: "show",
      summary: "show everything about one session",
      load: async () => (await import("./show.ts")).show,
    },
    {
      name: "search",
      summary: "search all text, branches that were left included",
      load: async () => (await import("./search.ts")).search,
    },
    {
      name: "rename",
      summary: "give a session a title",
      load: async () => (await import("./rename.ts")).rename,
    },
    {
      name: "confirm",
      summary: "allow a session that came from elsewhere to be worked on here",
      load: async () => (await import("./confirm.ts")).confirm,
    },
    {
      name: "delete",
      summary: "move sessions to the trash, or empty it",
      load: async () => (await import("./trash.ts")).deleteSessions,
    },
    {
      name: "undelete",
      summary: "bring a session back from the trash, or list what is in it",
      load: async () => (await import("./trash.ts")).undelete,
    },
    {
      name: "export",
      summary: "write a session as Markdown, JSON or a bundle",
      load: async () => (await import("./export.ts")).exportSession,
    },
    {
      name: "import",
      summary: "bring in a bundle, or a session of kimi-cli",
      load: async () => (await import("./import.ts")).importSession,
    },
  ],
  run: async ({ frame }) => (await import("./list.ts")).listSessions(frame, "here"),
});
