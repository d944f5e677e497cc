import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { MarkdownTexts } from "../../machine/exchange/markdown-blocks.ts";
import { checkTitle } from "../../machine/names.ts";
import { headerOf, requireConfirmed, viewSession } from "../../machine/open.ts";
import { idsLike, titledLike } from "../../machine/queries/sessions.ts";
import type { Holder, Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import { nearest } from "../../timeline/outline.ts";
import { withHome } from "../places/home.ts";
import { findWorkspace } from "../places/workspace.ts";
import { isToGoOnWith } from "../sessions/agent-session.ts";
import type { SessionClaims } from "../sessions/confirm-session.ts";
import { confirmSession, sessionClaims } from "../sessions/confirm-session.ts";
import { checkTarget, exportSession, writePieces } from "../sessions/export.ts";
import { refuseExecution } from "../sessions/find-session.ts";
import { refuseHeld } from "../sessions/hold-session.ts";
import { isFound } from "../sessions/search.ts";
import { type SessionReading, type SessionRow, sessionRows, viewsOf } from "../sessions/session-rows.ts";
import { holderIn, KeptReadings, openStore } from "../sessions/store.ts";
import { trashSession } from "../sessions/trash.ts";
import type { CurrentAgent } from "./current-session.ts";
import type { SessionSwitcher } from "./session-switcher.ts";

/** Lists the sessions that the user can open, and opens, creates, forks, exports and deletes them. */
export interface Sessions {
  /**
   * Lists the sessions in this workspace or in all workspaces, most recently used first. `search` matches titles,
   * prompts and all other text.
   */
  list(request: SessionsRequest): Promise<readonly ListedSession[]>;
  /**
   * Returns the sessions that match an id, a prefix of an id, a title, or part of a title. Rejects if no session
   * matches.
   */
  find(wanted: string): Promise<readonly ListedSession[]>;
  /** Returns the number of sessions in the last list that could not be read at all. */
  unreadable(): number;
  /** Closes the current session and opens this one, which may be in another workspace. */
  open(session: SessionId): Promise<void>;
  /** Opens another folder as the workspace, together with its most recently used session or a new one. */
  openFolder(folder: string): Promise<void>;
  /**
   * Describes where an unconfirmed session came from, what it claims, and where it would work. The user reads this
   * before confirming the session.
   */
  claims(session: SessionId): Promise<SessionClaims>;
  /** Records that the user has confirmed the session, which then works in the current session's workspace. */
  confirm(session: SessionId): Promise<void>;
  /** Creates a session in the same workspace. "gone": nothing was done in the previous session, so it was removed. */
  begin(): Promise<"kept" | "gone">;
  /** Forks the current session at its head or at another place, and opens the fork. The source stays unchanged. */
  fork(at?: EntryId): Promise<SessionId>;
  retitle(title: string): Promise<void>;
  /**
   * Moves a session to the trash, where it stays for the number of days in `trash.days`. The current session cannot be
   * deleted.
   */
  delete(session: SessionId): Promise<void>;
  /**
   * Writes the session to a file and resolves with its path. Rejects with NEEDS_YES if the file exists and may not be
   * replaced.
   */
  export(request: ExportRequest): Promise<string>;
}

export interface SessionsRequest {
  readonly of: "workspace" | "all";
  readonly search?: string;
}

/** A session that the user can open. */
export interface ListedSession extends SessionRow {
  /** "here": the current session. */
  readonly place: "here" | "elsewhere";
  /** The process that has the session open, if any; "unreadable" if its lock cannot be read. */
  readonly heldBy?: Owner | "unreadable";
}

export interface ExportRequest {
  readonly format: "markdown" | "json" | "bundle";
  /** The language of a Markdown export. */
  readonly texts: MarkdownTexts;
  /** The file to write; by default, a file in the workspace that is named after the session. */
  readonly file?: string;
  /** Whether an existing file is kept or replaced; by default, it is kept. */
  readonly existing?: "keep" | "replace";
}

/** Implements `Sessions` with the given switcher. */
export function sessionsOn(switcher: SessionSwitcher): Sessions {
  const lists = new SessionLists();
  return {
    list: async (request) => lists.list(switcher.here, request),
    find: async (wanted) => lists.find(switcher.here, wanted),
    unreadable: () => lists.unreadable,
    open: async (session) => switcher.alone(async () => openSession(switcher, session, "opened")),
    openFolder: async (wanted) => {
      const { context, agent } = switcher.here;
      const folder = await findWorkspace({
        given: withHome(wanted),
        cwd: () => agent.workspace,
        known: async () => [],
      });
      if (folder === agent.workspace) return;
      const latest = await latestFree(openStore(context), folder);
      if (latest === undefined) await switcher.move({ how: "begun", folder });
      else await switcher.move({ how: "opened", folder, session: latest });
    },
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

/** Finds the folder's most recently used session that no running program has open. */
async function latestFree(store: LogStore, folder: string): Promise<SessionId | undefined> {
  const { views } = await viewsOf(store, folder);
  for (const view of views.filter(isToGoOnWith)) {
    const holder = await holderIn(store, view.id);
    if (holder === undefined || holder.life === "dead") return view.id;
  }
  return undefined;
}

/** Opens another session. The caller must have exclusive use of the current session. */
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

/**
 * Finds the checkpoint at or before a place, because a fork must begin at a checkpoint. Returns undefined for a fork at
 * the head.
 */
function checkpointBefore(switcher: SessionSwitcher, at: EntryId | undefined): number | undefined {
  if (at === undefined) return undefined;
  const { outline } = switcher.here.opened.session;
  const checkpoint = nearest(outline, outline.byId(at), ({ number }) => number > 0);
  if (checkpoint === undefined) throw new WorldlineError("no-checkpoint-before", { entry: at });
  return checkpoint.number;
}

/** Lists the sessions that can be opened. A session is read again only if it has been written to in the meantime. */
class SessionLists {
  readonly #readings = new KeptReadings<SessionReading>();
  #unreadable = 0;

  /** Number of sessions that the last list left out because they could not be read. */
  get unreadable(): number {
    return this.#unreadable;
  }

  async list(
    { context, agent }: CurrentAgent,
    { of, search = "" }: SessionsRequest,
  ): Promise<readonly ListedSession[]> {
    const store = openStore(context);
    const workspace = of === "workspace" ? agent.workspace : undefined;
    const { rows, broken } = await sessionRows(store, workspace, this.#readings);
    const listed: ListedSession[] = [];
    for (const row of rows.filter(canBeOpened)) {
      if (!(await isFound(store, row, search))) continue;
      listed.push({ ...row, ...(row.id === agent.session ? HERE : await elsewhere(store, row.id)) });
    }
    this.#unreadable = broken.length;
    return listed;
  }

  async find(here: CurrentAgent, wanted: string): Promise<readonly ListedSession[]> {
    const rows = await this.list(here, { of: "all" });
    const ids = new Set(
      idsLike(
        rows.map(({ id }) => id),
        wanted,
      ),
    );
    const { whole, part } = titledLike(rows, wanted);
    const found = [rows.filter(({ id }) => ids.has(id)), whole, part].find(({ length }) => length > 0);
    if (found === undefined) throw new WorldlineError("session-not-found", { wanted });
    return found;
  }
}

/**
 * Checks whether the session can be opened. Sub-agents' and programs' sessions, and sessions without any messages,
 * cannot be opened.
 */
function canBeOpened({ task, mode, entries }: SessionRow): boolean {
  return task === undefined && mode !== "execution" && entries > 1;
}

const HERE = { place: "here" } as const;

async function elsewhere(
  store: LogStore,
  session: SessionId,
): Promise<Pick<ListedSession, "place" | "heldBy">> {
  return { place: "elsewhere", ...heldBy(await holderIn(store, session)) };
}

function heldBy(holder: Holder | undefined): Pick<ListedSession, "heldBy"> {
  if (holder === undefined || holder.life === "dead") return {};
  return { heldBy: holder.owner ?? "unreadable" };
}

const ENDINGS = { markdown: "md", json: "json", bundle: "bundle" } as const;

/**
 * Writes the same file as `worldline sessions export`. If the user does not name a file, chooses a file name that does
 * not exist yet.
 */
async function exportHere(
  { context, agent, opened }: CurrentAgent,
  { format, texts, file, existing = "keep" }: ExportRequest,
): Promise<string> {
  const wanted = resolve(agent.workspace, file ?? freeName(agent, ENDINGS[format]));
  // First checks whether the file could be replaced, because there is no point in asking about a file that cannot be
  // written.
  const path = await checkTarget(context, wanted, "replace");
  if (existing === "keep" && existsSync(path)) throw new WorldlineError("file-to-replace", { path });
  const { session, deps } = opened;
  await exportSession(context, {
    view: session,
    store: deps.store,
    format,
    branch: "here",
    texts,
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
