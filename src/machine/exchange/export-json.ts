import type { Damage } from "../../ports/log-store.ts";
import { exportedHeader } from "../../record/authority.ts";
import type { Entry, ForkedFrom, ImportedFrom, SessionBody } from "../../record/entry.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import type { SessionView } from "../view.ts";

/** A session as data for other programs. docs/guide/export-import.md describes which parts of the format are stable. */
export interface SessionJson {
  readonly format: { readonly name: "worldline-session"; readonly version: 1 };
  readonly session: {
    readonly id: SessionId;
    readonly title: string | null;
    readonly workspace: string;
    readonly mode: SessionBody["mode"];
    readonly created: string;
    /**
     * The entry that a new entry would follow. To find the current branch, start at this entry and go from parent to
     * parent.
     */
    readonly head: EntryId | null;
    readonly forkedFrom?: ForkedFrom;
    readonly imported?: ImportedFrom;
    /** The log lines that could not be read and are therefore missing from `entries`. */
    readonly damage: readonly Damage[];
  };
  /** All entries, including those on abandoned branches, with their long strings included in full. */
  readonly entries: readonly Entry[];
}

export async function exportJson(view: SessionView): Promise<SessionJson> {
  checkArguments("exportJson", { view: [view, option.view] });
  const { outline } = view;
  const header = exportedHeader(view.header);
  const entries: Entry[] = [];
  for await (const entry of view.all())
    entries.push(entry.kind === "session" ? exportedHeader(entry) : entry);
  return {
    format: { name: "worldline-session", version: 1 },
    session: {
      id: view.id,
      title: (await view.title()) ?? null,
      workspace: header.workspace,
      mode: header.mode,
      created: header.at,
      head: outline.head?.id ?? null,
      ...(header.forkedFrom === undefined ? {} : { forkedFrom: header.forkedFrom }),
      ...(header.imported === undefined ? {} : { imported: header.imported }),
      damage: view.damage,
    },
    entries,
  };
}
