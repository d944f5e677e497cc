import { BackgroundCommands } from "../../agent/tools/bash/bash.ts";
import type { Notice } from "../notices.ts";
import type { CurrentSession } from "./session-access.ts";

/** Commands that a run before this one started, and a kill left running: they may change files at any moment. */
export function leftRunning({ opened }: Pick<CurrentSession, "opened">): Notice | undefined {
  if (opened.resumed === "new") return undefined;
  const commands = new BackgroundCommands(opened.session.id).leftovers();
  return commands.length === 0 ? undefined : { code: "commands-left-running", commands };
}
