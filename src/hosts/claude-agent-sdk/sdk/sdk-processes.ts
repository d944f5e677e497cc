import { BackgroundCommands } from "../../../agent/tools/bash/background-commands.ts";
import type { SessionId } from "../../../record/ids.ts";

/**
 * The processes of the SDK that work for a session, with all that their tools started. Their mark is none of the session's
 * commands: those are shown to the person as what runs in the background, and a living process of the SDK is not.
 */
export function sdkProcesses(session: SessionId): BackgroundCommands {
  return new BackgroundCommands(`claude-${session}`);
}
