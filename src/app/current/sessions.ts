import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { checkTitle } from "../../machine/names.ts";
import { headerOf, requireConfirmed, viewSession } from "../../machine/open.ts";
import { searchSession } from "../../machine/queries/search.ts";
import { lastUsedFirst } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { SessionBody } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import { nearest } from "../../timeline/outline.ts";
import type { SessionClaims } from "../sessions/confirm-session.ts";
import { confirmSession, sessionClaims } from "../sessions/confirm-session.ts";
import { checkTarget, exportSession, writePieces } from "../sessions/export.ts";
import { refuseExecution } from "../sessions/find-session.ts";
import { refuseHeld } from "../sessions/hold-session.ts";
import { type KnownAs, knownAs } from "../sessions/session-rows.ts";
import { holderIn, KeptReadings, openStore } from "../sessions/store.ts";
import { trashSession } from "../sessions/trash.ts";
import type { Here } from "./current-session.ts";
import type { SessionSwitcher } from "./session-switcher.ts";

/** The sessions that a person can go to from here. */
export interface Sessions {
  /** Of this workspace, or of all; last used first. `search`: over titles, prompts and all text. */
  list(request: SessionsRequest): Promise<readonly SessionRow[]>;
  /** How many sessions the last list could read nothing of. */
  unreadable(): number;
  /** Lets go of the session here, and opens that one. It may be in another workspace. */
  open(session: SessionId): Promise<void>;
  /** Where an unconfirmed session came from, what it claims, and where it would work: what its user is told before they confirm it. */
  claims(session: SessionId): Promise<SessionClaims>;
  /** The user confirms the session: it works in the workspace of the session here. */
  confirm(session: SessionId): Promise<void>;
  /** A new session in the same workspace. "gone": nothing had been done in the one before, and it is not kept. */
  begin(): Promise<"kept" | "gone">;
  /** A copy, from the head or another place, which is then the session here. The source stays as it is. */
  fork(at?: EntryId): Promise<SessionId>;
  retitle(title: string): Promise<void>;
  /** To the trash, for 30 days. Not the session here. */
  delete(session: SessionId): Promise<void>;
  /** Writes the session to a file; resolves with its path. Rejects with NEEDS_YES where a file is there that was to be kept. */
  export(request: ExportRequest): Promise<string>;
}

export interface SessionsRequest {
  readonly of: "workspace" | "all";
  readonly search?: string;
}

export interface SessionRow {
  readonly session: SessionId;
  /** "" where it has none. */
  readonly title: string;
  /** It was copied from another session, and has that one's title. */
  readonly isNamedAsSource: boolean;
  readonly workspace: string;
  readonly messages: number;
  readonly at: number;
  /** "here": the one that the person is in. */
  readonly place: "here" | "elsewhere";
  /** The process that has it open, where one has; "unreadable": its lock cannot be read. */
  readonly heldBy?: Owner | "unreadable";
  /** "agent": with a conversation. */
  readonly mode: SessionBody["mode"];
  /** This home did not write it: its user confirms it before it is opened. `workspace` is what it claims. */
  readonly unconfirmed?: true;
}

export interface ExportRequest {
  readonly format: "markdown" | "json" | "bundle";
  /** Absent: named after the session, in the workspace. */
  readonly file?: string;
  /** What becomes of a file that is there; by default it is kept. */
  readonly existing?: "keep" | "replace";
}

/** The sessions that a person can go to. */
export function sessionsOn(switcher: SessionSwitcher): Sessions {
  const rows = new SessionRows();
  return {
    list: async (request) => rows.list(switcher.here, request),
    unreadable: () => rows.unreadable,
    open: async (session) => switcher.alone(async () => openSession(switcher, session, "opened")),
    claims: async (session) => {
      const { context } = switcher.here;
      return sessionClaims(context, await viewSession(openStore(context), session));
    },
    confirm: async (session) => {
      const { context } = switcher.here;
      const store = openStore(context);
      await confirmSession(context, store, await viewSession(store, session));
    },
    begin: async () => switcher.move({ how: "begun", folder: switcher.here.agent.workspace }),
    fork: async (at) => {
      const { opened, agent } = switcher.here;
      if (opened.kept === "no") throw new WorldlineError("session-not-kept", {});
      return switcher.alone(async () => {
        const { createFork } = await import("../fork.ts");
        const source = { view: opened.session, number: checkpointBefore(switcher, at) };
        const session = await createFork(opened.deps, source);
        await switcher.moveWithin({ how: "forked", folder: agent.workspace, session });
        return session;
      });
    },
    retitle: async (title) => {
      await switcher.here.opened.session.retitle(checkTitle(title));
    },
    delete: async (session) => {
      const { agent, context } = switcher.here;
      if (session === agent.session) throw new WorldlineError("session-is-this-one", {});
      await trashSession(context, session);
    },
    export: async (request) => exportHere(switcher.here, request),
  };
}

/** For who has the switcher for themselves. */
export async function openSession(
  switcher: SessionSwitcher,
  session: SessionId,
  how: "opened" | "visited",
): Promise<void> {
  const { agent, context } = switcher.here;
  if (session === agent.session) return;
  const store = openStore(context);
  const header = await headerOf(store, session);
  refuseExecution(header);
  requireConfirmed(store, header);
  await refuseHeld(store, session, context.common.takeOver);
  const { workspace: folder } = header;
  const isElsewhere = folder !== agent.workspace;
  const notice = { code: "session-elsewhere", session, workspace: folder } as const;
  await switcher.moveWithin({ how, folder, session, notice: isElsewhere ? notice : undefined });
}

/** A fork begins at a checkpoint: at the one before a place between two. Undefined: at the head. */
function checkpointBefore(switcher: SessionSwitcher, at: EntryId | undefined): number | undefined {
  if (at === undefined) return undefined;
  const { outline } = switcher.here.opened.session;
  const row = outline.byId(at);
  if (row === undefined) throw unknown(at);
  const checkpoint = nearest(outline, row, ({ number }) => number > 0);
  if (checkpoint === undefined) throw unknown(at);
  return checkpoint.number;
}

function unknown(at: EntryId): WorldlineError {
  return new WorldlineError("no-checkpoint-before", { entry: at });
}

/**
 * "no": not worth a line. Those of sub-agents belong to another session, those of programs to the program; in others nothing
 * was said.
 */
type Listed = KnownAs | "no" | "unreadable";

/** The sessions that can be gone to, last used first. What was read of one is not read again before it is written to. */
class SessionRows {
  readonly #kept = new KeptReadings<Listed>();
  #unreadable = 0;

  /** How many the last list had to leave out. */
  get unreadable(): number {
    return this.#unreadable;
  }

  async list({ context, agent }: Here, request: SessionsRequest): Promise<readonly SessionRow[]> {
    const store = openStore(context);
    const rows: SessionRow[] = [];
    for (const listed of (await this.#found(store, agent.workspace, request)).sort(lastUsedFirst)) {
      const place = listed.id === agent.session ? HERE : await elsewhere(store, listed.id);
      rows.push({ ...shownOf(listed), ...place });
    }
    return rows;
  }

  async #found(store: LogStore, workspace: string, { of, search }: SessionsRequest): Promise<KnownAs[]> {
    const found: KnownAs[] = [];
    let unreadable = 0;
    for (const id of await store.list(of === "workspace" ? { workspace } : {})) {
      const listed = await this.#kept.of(store, id, async () => listedOf(store, id));
      if (listed === "unreadable") unreadable += 1;
      if (typeof listed !== "object") continue;
      // One that does not say where it belongs must not vanish.
      const isHere = of !== "workspace" || ["", workspace].includes(listed.workspace);
      if (isHere && (await isFound(store, listed, search ?? ""))) found.push(listed);
    }
    this.#unreadable = unreadable;
    return found;
  }
}

const HERE = { place: "here" } as const;

async function elsewhere(store: LogStore, session: SessionId): Promise<Pick<SessionRow, "place" | "heldBy">> {
  return { place: "elsewhere", ...heldBy(await holderIn(store, session)) };
}

async function listedOf(store: LogStore, id: SessionId): Promise<Listed> {
  try {
    const view = await viewSession(store, id);
    const { task, mode } = view.header;
    const isToOpen = task === undefined && mode !== "execution" && view.outline.length > 1;
    return isToOpen ? await knownAs(view) : "no";
  } catch (error) {
    if (isWorldlineError(error)) return "unreadable";
    throw error;
  }
}

function shownOf(listed: KnownAs): Omit<SessionRow, "place"> {
  const { id, workspace, messages, used, mode } = listed;
  const { title, isNamedAsSource, unconfirmed } = listed;
  return {
    ...{ session: id, title, isNamedAsSource, workspace, messages, at: used, mode },
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
  };
}

async function isFound(store: LogStore, { id, title }: KnownAs, search: string): Promise<boolean> {
  const wanted = search.trim();
  if (wanted === "" || title.toLowerCase().includes(wanted.toLowerCase())) return true;
  return holds(await viewSession(store, id), wanted);
}

async function holds(view: SessionView, wanted: string): Promise<boolean> {
  for await (const { kind } of searchSession(view, wanted)) {
    // What every session is told in the beginning is nothing that somebody looks for.
    if (kind !== "session") return true;
  }
  return false;
}

function heldBy(holder: Holder | undefined): Pick<SessionRow, "heldBy"> {
  if (holder === undefined || holder.life === "dead") return {};
  return { heldBy: holder.owner ?? "unreadable" };
}

const ENDINGS = { markdown: "md", json: "json", bundle: "bundle" } as const;

/** Writes the session as `worldline sessions export` does. A name that nobody chose is one that is free. */
async function exportHere(
  { context, agent, opened }: Here,
  { format, file, existing = "keep" }: ExportRequest,
): Promise<string> {
  const wanted = resolve(agent.workspace, file ?? freeName(agent, ENDINGS[format]));
  // Checked with the other choice first: what can never be written is not asked about.
  const path = await checkTarget(context, wanted, "replace");
  if (existing === "keep" && existsSync(path)) throw new WorldlineError("file-to-replace", { path });
  const { session, deps } = opened;
  await exportSession(context, {
    view: session,
    store: deps.store,
    format,
    branch: "here",
    files: "leave-out",
    write: async (pieces) => writePieces(context, pieces, { path, existing, onProgress: () => undefined }),
  });
  return path;
}

function freeName(
  { workspace, session }: { readonly workspace: string; readonly session: string },
  ending: string,
): string {
  for (let number = 1; ; number += 1) {
    const name = `worldline-${session}${number === 1 ? "" : `-${number}`}.${ending}`;
    if (!existsSync(resolve(workspace, name))) return name;
  }
}
