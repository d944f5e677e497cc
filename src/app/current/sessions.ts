import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { MarkdownTexts } from "../../machine/exchange/markdown-blocks.ts";
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

/** Lists the sessions that the user can open, and opens, creates, forks, exports and deletes them. */
export interface Sessions {
  /**
   * The sessions of this workspace or of all workspaces, most recently used first. `search`: searches titles, prompts
   * and all text.
   */
  list(request: SessionsRequest): Promise<readonly SessionRow[]>;
  /** How many sessions in the last list could not be read at all. */
  unreadable(): number;
  /** Closes the current session and opens this one, which may be in another workspace. */
  open(session: SessionId): Promise<void>;
  /**
   * Where an unconfirmed session came from, what it claims, and where it would work. The user reads this before
   * confirming.
   */
  claims(session: SessionId): Promise<SessionClaims>;
  /** Records that the user has confirmed the session, which then works in the workspace of the current session. */
  confirm(session: SessionId): Promise<void>;
  /** Creates a session in the same workspace. "gone": nothing was done in the previous session, so it was removed. */
  begin(): Promise<"kept" | "gone">;
  /** Forks the current session at its head or at another place, and opens the fork. The source stays unchanged. */
  fork(at?: EntryId): Promise<SessionId>;
  retitle(title: string): Promise<void>;
  /** Moves a session to the trash for 30 days. The current session cannot be deleted. */
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

export interface SessionRow {
  readonly session: SessionId;
  /** "" if the session has no title. */
  readonly title: string;
  /** Whether the session is a fork that still has the title of its source. */
  readonly isNamedAsSource: boolean;
  readonly workspace: string;
  readonly messages: number;
  readonly at: number;
  /** "here": the current session. */
  readonly place: "here" | "elsewhere";
  /** The process that has the session open, if any; "unreadable": its lock cannot be read. */
  readonly heldBy?: Owner | "unreadable";
  /** "agent": a session with a conversation. */
  readonly mode: SessionBody["mode"];
  /**
   * Set if another home wrote the session: the user must confirm it before it is opened, and `workspace` is only
   * claimed.
   */
  readonly unconfirmed?: true;
}

export interface ExportRequest {
  readonly format: "markdown" | "json" | "bundle";
  /** The language of a Markdown export. */
  readonly texts: MarkdownTexts;
  /** If absent, a file in the workspace that is named after the session. */
  readonly file?: string;
  /** Whether an existing file is kept or replaced; by default it is kept. */
  readonly existing?: "keep" | "replace";
}

/** Implements `Sessions` with the given switcher. */
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

/** Opens another session. The caller must have exclusive use of the current one. */
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

/** The checkpoint at or before a place, because a fork must begin at a checkpoint. Undefined: fork at the head. */
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
 * "no": the session is not listed. A sub-agent's session belongs to another session, a program's session belongs to the
 * program, and in the remaining ones nothing was said.
 */
type Listed = KnownAs | "no" | "unreadable";

/**
 * Reads the sessions that can be opened, most recently used first. A session is read again only after it was written
 * to.
 */
class SessionRows {
  readonly #kept = new KeptReadings<Listed>();
  #unreadable = 0;

  /** How many sessions the last list left out. */
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
      // A session that does not name its workspace is listed in every workspace, so that it is not lost.
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
    // The initial text is the same in every session, so it is not searched.
    if (kind !== "session") return true;
  }
  return false;
}

function heldBy(holder: Holder | undefined): Pick<SessionRow, "heldBy"> {
  if (holder === undefined || holder.life === "dead") return {};
  return { heldBy: holder.owner ?? "unreadable" };
}

const ENDINGS = { markdown: "md", json: "json", bundle: "bundle" } as const;

/**
 * Writes the same file as `worldline sessions export`. If the user does not name a file, the name is one that does not
 * exist yet.
 */
async function exportHere(
  { context, agent, opened }: Here,
  { format, texts, file, existing = "keep" }: ExportRequest,
): Promise<string> {
  const wanted = resolve(agent.workspace, file ?? freeName(agent, ENDINGS[format]));
  // Checks first as if the file were to be replaced: there is no point in asking about a file that cannot be written.
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
