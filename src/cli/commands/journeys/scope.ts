import type { Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";

/** What goes back when the person does not say: all that this version can move. */
export const DEFAULT_SCOPE: Scope = "conversation";

/** Files are not captured by this version: who asks for them is told so, and not taken back by half. */
export async function requireConversationOnly(frame: Frame, scope: Scope, command: string): Promise<void> {
  if (scope === "conversation") return;
  const { values } = await frame.settings();
  const message = values.enableFileCheckpointing
    ? "Files cannot be restored: this version does not capture them yet."
    : "Checkpoint feature not enabled";
  throw new WorldlineError("REWIND_REFUSED", message, {
    hint: `Nothing was changed. To rewind the conversation alone: ${command} --scope conversation`,
  });
}
