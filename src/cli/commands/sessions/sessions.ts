import { defineCommand } from "../../command.ts";

export const sessions = defineCommand({
  help: (help) => help.sessions,
  subcommands: [
    {
      name: "list",
      summary: (help) => help.sessionsList.summary,
      load: async () => (await import("./list.ts")).list,
    },
    {
      name: "show",
      summary: (help) => help.sessionsShow.summary,
      load: async () => (await import("./show.ts")).show,
    },
    {
      name: "search",
      summary: (help) => help.sessionsSearch.summary,
      load: async () => (await import("./search.ts")).search,
    },
    {
      name: "rename",
      summary: (help) => help.sessionsRename.summary,
      load: async () => (await import("./rename.ts")).rename,
    },
    {
      name: "confirm",
      summary: (help) => help.sessionsConfirm.summary,
      load: async () => (await import("./confirm.ts")).confirm,
    },
    {
      name: "delete",
      summary: (help) => help.sessionsDelete.summary,
      load: async () => (await import("./trash.ts")).deleteCommand,
    },
    {
      name: "undelete",
      summary: (help) => help.sessionsUndelete.summary,
      load: async () => (await import("./trash.ts")).undelete,
    },
    {
      name: "export",
      summary: (help) => help.sessionsExport.summary,
      load: async () => (await import("./export.ts")).exportCommand,
    },
    {
      name: "import",
      summary: (help) => help.sessionsImport.summary,
      load: async () => (await import("./import.ts")).importCommand,
    },
  ],
  run: async ({ frame }) => (await import("./list.ts")).answerSessions(frame, "here"),
});
