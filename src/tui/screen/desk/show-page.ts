import type { Strings } from "../../../strings/strings.ts";
import type { Desk } from "../../commands/desk.ts";
import { type Drawers, drawPlain } from "../../dialogs/pieces/drawn-text.ts";
import { pager } from "../../dialogs/pieces/pager.ts";
import type { OpenDialogs } from "../open-dialogs.ts";

/** A long text on the whole screen, until the person leaves it. */
export async function showPage(
  dialogs: OpenDialogs,
  { title, text, form }: Parameters<Desk["show"]>[0],
  { drawers, strings }: { readonly drawers: Drawers; readonly strings: Strings },
): Promise<void> {
  const draw = form === "plain" ? drawPlain : drawers[form];
  await dialogs.ask(
    pager({
      title,
      draw: (width, look) => draw(text, width, look),
      keys: strings.terminal.dialogs.keys.pager,
    }),
  );
}
