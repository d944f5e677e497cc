import { error } from "../texts.ts";

/** The errors of the log stores. */
export const stores = {
  "session-unknown": error(
    "SESSION_UNKNOWN",
    ({ session }: { readonly session: string }) => `There is no session ${session}`,
    (_, { command }) => `\`${command("sessions list")}\` shows those there are.`,
  ),
  "session-exists": error(
    "SESSION_EXISTS",
    ({ session }: { readonly session: string }) => `There is a session ${session} already.`,
    () => "Sessions are never overwritten; choose another id.",
  ),
  "session-has-no-id": error("ENTRY_INVALID", () => "The session has no id."),
};
