import { summarise } from "../../../../machine/looking/sessions.ts";
import { headerOf, viewSession } from "../../../../machine/open.ts";
import type { CheckpointRow } from "../../../../ports/station/journeys.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { KeptReadings } from "../../sessions/kept-readings.ts";
import type { StationParts } from "../../station-parts.ts";
import { checkpointRows } from "./checkpoint-rows.ts";

type Rows = readonly CheckpointRow[];
type Read = Rows | "unreadable";

/** The checkpoints of the workspace's other sessions. What was read of one is not read again before it is written to. */
export class RowsElsewhere {
  readonly #parts: StationParts;
  #kept: { readonly workspace: string; readonly readings: KeptReadings<Read> } | undefined;
  #unreadable = 0;

  constructor(parts: StationParts) {
    this.#parts = parts;
  }

  /** How many the last list had to leave out. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** By time, the newest first. */
  async list(): Promise<Rows> {
    const { frame, opened } = this.#parts.here();
    const { session, ground } = opened;
    const { workspace } = session.header;
    if (this.#kept?.workspace !== workspace) this.#kept = { workspace, readings: new KeptReadings() };
    const { readings } = this.#kept;
    const rows: CheckpointRow[] = [];
    let unreadable = 0;
    for (const id of await ground.store.list()) {
      if (id === session.id) continue;
      const known = await readings.of(frame.home, id, async () => this.#read(id, workspace));
      if (known === "unreadable") unreadable += 1;
      else rows.push(...(known ?? []));
    }
    this.#unreadable = unreadable;
    return rows.sort((a, b) => b.at - a.at || b.number - a.number);
  }

  /** Nothing of sessions that work elsewhere, and of those of sub-agents, which belong to the one that they worked for. */
  async #read(id: SessionId, workspace: string): Promise<Read> {
    const { ground, here } = this.#parts.here().opened;
    try {
      const header = await headerOf(ground.store, id);
      // One whose first line is lost does not say where it belongs; opening it may tell.
      if (header.workspace !== "" && (header.workspace !== workspace || header.task !== undefined)) return [];
      const view = await viewSession(ground.store, id);
      if (view.header.workspace !== workspace) return [];
      const { title } = await summarise(view);
      const named = title === "" ? {} : { title };
      return await checkpointRows({ view, place: "elsewhere", files: here.files, ...named });
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return "unreadable";
    }
  }
}
