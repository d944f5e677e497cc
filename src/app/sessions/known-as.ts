import type { SessionView } from "../../machine/view.ts";
import { typedFor } from "../../timeline/calls.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import { ownSince } from "../queries/state/own-since.ts";
import { type SessionRow as ListedRow, rowOf } from "./session-rows.ts";

/** What a list says of a session in which a person may have run commands alone. */
export interface KnownAs extends ListedRow {
  /** A fork that goes by the name of what it was copied from. */
  readonly isNamedAsSource: boolean;
}

const LONGEST = 80;

/** As other lists have it; but it goes by its first command where nothing was asked, and commands count as messages. */
export async function knownAs(view: SessionView): Promise<KnownAs> {
  const row = await rowOf(view);
  const { outline } = view;
  const commands = outline.ofKind("checkpoint").flatMap((checkpoint) => commandOf(outline, checkpoint) ?? []);
  const title = row.title === "" ? await textOf(view, commands[0]) : row.title;
  const own = outline.ofKind("title").some(({ at }) => at > ownSince(view));
  return {
    ...row,
    title,
    messages: row.messages + commands.length,
    isNamedAsSource: row.forkedFrom !== undefined && !own,
  };
}

async function textOf(view: SessionView, start: Row | undefined): Promise<string> {
  const [entry] = start === undefined ? [] : await view.storedEntries([start.seq]);
  if (entry?.kind !== "tool-start") return "";
  const about = aboutCall(entry.input);
  return about === "" ? "" : typedFor(entry.name, [...about].slice(0, LONGEST).join(""));
}
