import type { SessionView } from "../../../machine/view.ts";
import type { EntryOf } from "../../../record/entry.ts";
import { CLAUDE_HOST } from "./standing.ts";

/** The model that answered last, as the SDK has said: its name, what it was asked for by, and what its context holds. */
export type KnownModel = Required<Pick<EntryOf<"host">, "model">> & Pick<EntryOf<"host">, "asked" | "window">;

/** Every place has it since the SDK's first answer; the last ones may be prompts that were never answered. */
const LOOKED_AT = 32;

/** What the log says of the model, on whichever branch; undefined where the SDK has not answered yet, and in older logs. */
export async function knownModel(view: SessionView): Promise<KnownModel | undefined> {
  const lines = view.outline.linesOf("host").slice(-LOOKED_AT);
  for (const entry of (await view.storedEntries(lines)).toReversed()) {
    if (entry.kind !== "host" || entry.host !== CLAUDE_HOST || entry.model === undefined) continue;
    const { model, asked, window } = entry;
    return { model, ...(asked === undefined ? {} : { asked }), ...(window === undefined ? {} : { window }) };
  }
  return undefined;
}
