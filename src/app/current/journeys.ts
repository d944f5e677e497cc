import { BackgroundCommands } from "../../agent/tools/bash/bash.ts";
import { turnStateOf } from "../../machine/queries/recap.ts";
import type { Session } from "../../machine/session.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { commandOf, lookalikeOf } from "../../timeline/checkpoints.ts";
import { askedBefore, nearest, type Outline } from "../../timeline/outline.ts";
import { isCheckpoint, type Row } from "../../timeline/row.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { FilesOfList, RowsElsewhere } from "../checkpoints/checkpoint-menu.ts";
import {
  type CheckpointRow,
  checkpointRow,
  checkpointRows,
  KnownRows,
  type PlaceOfRow,
} from "../checkpoints/checkpoint-rows.ts";
import { reachableLabel } from "../checkpoints/find-checkpoint.ts";
import type { Journeys } from "../journeys/journey-types.ts";
import { scopeOffer } from "../journeys/scope.ts";
import { noteActivity } from "../places/home.ts";
import { foreseeRedo, makeRedo, redoRows, redoScopes } from "../redo.ts";
import { byHand, findRow, folderBack, makeRewind, patienceOf, previewRewind } from "../rewind.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { withHeld } from "../sessions/hold-session.ts";
import type { SessionAccess } from "./current-session.ts";

/** Rewind and redo by hand, in the session that the agent works on and in the others of its workspace. */
export function journeysOn(parts: SessionAccess): Journeys {
  const lists = new Lists(parts);
  const elsewhere = new RowsElsewhere(() => parts.here().opened);
  return {
    ready: async () => byHand(parts, async () => undefined),
    menuOpened: async () => {
      const { context, opened } = parts.here();
      const { session } = opened;
      await noteActivity(context.home, { did: "rewind-menu-opened", in: "terminal", session: session.id });
    },
    rows: async () => [...(await lists.here()), ...(await elsewhere.list())],
    rowsHere: async () => lists.here(),
    rowsElsewhere: async () => elsewhere.list(),
    unreadable: () => elsewhere.unreadable,
    changedSince: async (row) => lists.changedSince(row),
    scopes: async (row) => scopeOffer(await findRow(parts, row)),
    preview: async (wish, progress) =>
      byHand(parts, async () => {
        if (wish.scope !== "conversation") await folderBack(parts);
        return previewRewind(parts, wish, progress);
      }),
    rewind: async (wish, progress) => makeRewind(parts, wish, progress),
    redoable: async () => redoRows(parts.here().opened.session),
    redoScopes: async (journey) => redoScopes(parts, journey),
    previewRedo: async (wish, progress) =>
      byHand(parts, async () => {
        await folderBack(parts);
        return foreseeRedo(parts, wish, progress);
      }),
    redo: async (wish, progress) => byHand(parts, async () => makeRedo(parts, wish, progress)),
    undoTarget: async (prompts) => {
      const { session, here } = parts.here().opened;
      const row = undoTarget(session.outline, prompts);
      return checkpointRow({ view: session, place: "here", files: here.files }, row, lists.known());
    },
    save: async (label, progress) => {
      const wanted = label === undefined || label.trim() === "" ? undefined : reachableLabel(label);
      return byHand(parts, async () => parts.here().opened.session.checkpoint(wanted, patienceOf(progress)));
    },
    label: async (row, label) => nameRow(parts, row, label),
    lookalike: async (label, row) => lookalike(parts, label, row),
    leaveCut: async () => byHand(parts, async () => leaveCut(parts.here().opened.session)),
    running: async () => commandsOf(parts).leftovers(),
    stopRunning: async () => {
      await commandsOf(parts).endLeftovers();
    },
  };
}

/** The list of checkpoints: what was read for the last one is not read again for the next. */
class Lists {
  readonly #parts: SessionAccess;
  #known: { readonly session: AgentSession["session"]; readonly rows: KnownRows } | undefined;
  #files: FilesOfList | undefined;

  constructor(parts: SessionAccess) {
    this.#parts = parts;
  }

  known(): KnownRows {
    const { session } = this.#parts.here().opened;
    if (this.#known?.session !== session) {
      this.#known = { session, rows: new KnownRows() };
      this.#files = undefined;
    }
    return this.#known.rows;
  }

  async here(): Promise<readonly CheckpointRow[]> {
    const { session, here } = this.#parts.here().opened;
    this.#files = undefined;
    return checkpointRows({ view: session, place: "here", files: here.files }, this.known());
  }

  async changedSince(row: PlaceOfRow): Promise<number | undefined> {
    const { session, here } = this.#parts.here().opened;
    if (here.files === undefined) return undefined;
    // Also lets go of the files of a session that was left.
    this.known();
    const snapshot = await this.#snapshotOf(row);
    if (snapshot === undefined) return undefined;
    this.#files ??= new FilesOfList(here.files, session);
    return this.#files.changedSince(snapshot);
  }

  async #snapshotOf(row: PlaceOfRow): Promise<SnapshotId | undefined> {
    const { session, here } = this.#parts.here().opened;
    const told =
      row.session === session.id
        ? (await this.known().snapshots.of(session)).get(row.number)?.snapshot
        : await snapshotElsewhere(this.#parts, row);
    return told !== undefined && (await here.files?.has(told)) === true ? told : undefined;
  }
}

async function snapshotElsewhere(parts: SessionAccess, row: PlaceOfRow): Promise<SnapshotId | undefined> {
  const at = await (await findRow(parts, row)).filesAt(row.number);
  return at.state === "complete" || at.state === "partial" ? at.snapshot : undefined;
}

async function nameRow(parts: SessionAccess, row: PlaceOfRow, label: string): Promise<void> {
  const wanted = label.trim() === "" ? "" : reachableLabel(label);
  const { where, view, here } = await findRow(parts, row);
  const { session, ground } = parts.here().opened;
  if (where === "held") return session.label(row.number, wanted);
  const hold = {
    context: parts.here().context,
    ground,
    session: view.id,
    name: "worldline",
    files: here.files,
  };
  return withHeld(hold, async (held) => held.label(row.number, wanted));
}

async function lookalike(parts: SessionAccess, label: string, row?: PlaceOfRow): Promise<string | undefined> {
  const view = row === undefined ? parts.here().opened.session : (await findRow(parts, row)).view;
  const target = row === undefined ? undefined : requireCheckpoint(view.outline, row.number).id;
  return lookalikeOf(await view.labels(), label.trim().normalize("NFC"), target);
}

/** As an interrupt by the person: whoever looks at the turn later sees that they ended it. */
async function leaveCut(session: Session): Promise<void> {
  const turn = await turnStateOf(session);
  if (turn.state === "cut" && turn.interruptedBy !== "person") await session.interrupt("person");
}

/** Every command of the session carries its mark: those of the agent here, and those that a killed run has left. */
function commandsOf(parts: SessionAccess): BackgroundCommands {
  return new BackgroundCommands(parts.here().opened.session.id);
}

/**
 * The checkpoint before the prompt, or the person's command, that so many of them back was the last one; throws where there
 * are not so many. A backtrack takes prompts along: the last of them is what was asked last, and only its work goes back.
 */
function undoTarget(outline: Outline, prompts: number): Row {
  if (!Number.isSafeInteger(prompts) || prompts < 1) {
    throw new WorldlineError("prompts-not-a-number", { given: prompts });
  }
  let found = 0;
  for (let row = outline.head; row !== undefined; row = askedBefore(outline, row)) {
    const checkpoint = checkpointBefore(outline, row);
    if (checkpoint === undefined) continue;
    found += 1;
    if (found === prompts) return checkpoint;
  }
  throw tooMany(prompts, found);
}

function checkpointBefore(outline: Outline, row: Row): Row | undefined {
  if (row.kind === "prompt") return promptCheckpoint(outline, row);
  return row.kind === "tool-start" ? commandCheckpoint(outline, row) : undefined;
}

/** None for a call of the agent's: that belongs to its prompt. */
function commandCheckpoint(outline: Outline, start: Row): Row | undefined {
  const above = nearest(outline, outline.at(start.parent), isCheckpoint);
  if (above?.kind !== "checkpoint") return undefined;
  return commandOf(outline, above)?.seq === start.seq ? above : undefined;
}

/** What was imported, or damaged, may have a prompt without one. */
function promptCheckpoint(outline: Outline, prompt: Row): Row | undefined {
  const above = nearest(
    outline,
    outline.at(prompt.parent),
    (row) => isCheckpoint(row) || row.kind === "prompt",
  );
  return above?.kind === "checkpoint" ? above : undefined;
}

function tooMany(prompts: number, found: number): WorldlineError {
  return found === 0
    ? new WorldlineError("nothing-to-take-back", {})
    : new WorldlineError("fewer-prompts", { wanted: prompts, found });
}
