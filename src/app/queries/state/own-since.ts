import type { SessionView } from "../../../machine/view.ts";

/** From when on entries are the session's own: what a fork copied was counted where it comes from. */
export function ownSince({ header }: SessionView): number {
  return header.forkedFrom === undefined ? 0 : Date.parse(header.at);
}
