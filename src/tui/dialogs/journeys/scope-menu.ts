import type { ScopeOffer } from "../../../app/journeys/journey-types.ts";
import type { Scope } from "../../../record/entry.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { type MenuState, menu } from "../pieces/menu.ts";

/** What goes: files and conversation, or one of them. `title` says where. */
export function scopeMenu(strings: Strings, offer: ScopeOffer, title: string): Dialog<MenuState, Scope> {
  const { scope, keys } = strings.terminal.dialogs;
  return menu({
    title,
    about: [
      ...(offer.without === undefined ? [] : [scope.without(offer.without)]),
      ...(offer.scopes.length === 0 ? [scope.nothing] : []),
    ],
    rows: offer.scopes.map((answer) => ({
      text: scope.names[answer],
      description: scope.descriptions[answer],
      answer,
    })),
    keys: offer.scopes.length === 0 ? keys.back : keys.menuBack,
  });
}
