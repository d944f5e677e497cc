import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readInstructions, systemPrompt, unusedInstructions } from "../../agent/system-prompt.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { forkSession } from "../../machine/journeys/fork.ts";
import {
  createSession,
  type Holding,
  headerOf,
  holdSession,
  requireConfirmed,
  type SessionContext,
  viewSession,
} from "../../machine/open.ts";
import { noteMachine } from "../../machine/other-machines.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { openMemoryStore } from "../../stores/memory.ts";
import type { AppContext } from "../context.ts";
import { type OpenedFiles, openFiles, touchedIn } from "../files/files.ts";
import { outputsOf } from "../places/home.ts";
import { contextOfSession, refuseExecution, sessionsHere, warnOfUnread } from "./find-session.ts";
import { heldElsewhere, tellOpened } from "./hold-session.ts";
import { openSessionDeps, openStore, provideSessionDeps } from "./store.ts";

/** The session that an agent is opened for. */
export interface SessionRequest {
  readonly resume: ResumeRequest;
  /** "yes": the agent works on a fork, and the named session stays unchanged. */
  readonly fork: "yes" | "no";
  /** "no": nothing is written under Worldline's home. */
  readonly keepSession: "yes" | "no";
}

export type ResumeRequest =
  | { readonly how: "new" }
  /** The most recently used agent session in the workspace. */
  | { readonly how: "continue" }
  /** An id, a prefix of an id, or a title; if absent, the user chooses. */
  | { readonly how: "resume"; readonly wanted?: string };

/** A session for an agent, with its dependencies. */
export interface AgentSession {
  readonly deps: SessionContext;
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly workspaceFiles: OpenedFiles;
  /** "no": the session and its outputs are removed when the session is closed. */
  readonly kept: "yes" | "no";
  /** The folder for long outputs. The folder need not exist yet. */
  readonly outputs: string;
}

/** The request and the size of the model's window, which the session needs. */
interface AgentSessionRequest extends SessionRequest {
  readonly window: number;
}

const HOLDING: Holding = { name: "worldline, an agent" };

/**
 * Opens the requested session and holds it, in the context of its workspace. If another program holds the session,
 * immediately throws an error that names the program.
 */
export async function openAgentSession(
  context: AppContext,
  request: AgentSessionRequest,
): Promise<AgentSession> {
  if (request.keepSession === "no") return inMemory(context, request);
  const wanted = await wantedSession(context, request.resume);
  // Creates the home folder even for an existing session, because a session in a database may be the first one that is
  // opened on this machine.
  const bare = await provideSessionDeps(context);
  const workspaceFiles = await openFiles(context, await context.workspace());
  const following = { ...bare, ...touchedIn(workspaceFiles) };
  const deps = await agentSessionDeps(context, {
    bare: following,
    files: workspaceFiles.files,
    window: request.window,
  });
  try {
    const { session, resumed } = await hold(context, { deps, wanted, request });
    const outputs = outputsOf(realpathSync(context.home), deps.store.place, session.id);
    return { deps, session, resumed, workspaceFiles, kept: "yes", outputs };
  } catch (error) {
    await workspaceFiles.files?.close();
    throw error;
  }
}

interface Held {
  readonly deps: SessionContext;
  readonly wanted: SessionId | undefined;
  readonly request: AgentSessionRequest;
}

async function hold(
  context: AppContext,
  { deps, wanted, request }: Held,
): Promise<Pick<AgentSession, "session" | "resumed">> {
  const holding = { ...HOLDING, takeOver: context.common.takeOver };
  if (wanted === undefined) {
    return { session: await createSession(deps, await newSession(context), holding), resumed: "new" };
  }
  if (request.fork === "no") {
    const session = await holdSession(deps, wanted, holding).catch(async (error: unknown) => {
      throw await heldElsewhere(deps.store, wanted, error);
    });
    tellOpened(context, session);
    warnOfUnread(context, session);
    await noteMachine(session);
    return { session, resumed: "resumed" };
  }
  const view = await viewSession(deps.store, wanted);
  warnOfUnread(context, view);
  const forked = await forkSession(deps, view);
  return { session: await holdSession(deps, forked, holding), resumed: "forked" };
}

async function newSession(context: AppContext): Promise<Parameters<typeof createSession>[1]> {
  const { values } = await context.settings();
  const backtrack = values["backtrack.enabled"] ? "on" : "off";
  return {
    workspace: await context.workspace(),
    system: await newSystemPrompt(context, backtrack),
    backtrack,
  };
}

/** Returns the system prompt for a new session in this workspace. */
export async function newSystemPrompt(context: AppContext, backtrack: "on" | "off"): Promise<string> {
  const workspace = await context.workspace();
  const instructions = await readInstructions(workspace);
  for (const { file, why } of await unusedInstructions(workspace)) {
    context.listener.report({ code: "instructions-unused", file, why });
  }
  return systemPrompt({
    workspace,
    platform: process.platform,
    date: new Date(systemClock.now()).toISOString().slice(0, 10),
    backtrack,
    ...(instructions === undefined ? {} : { instructions }),
  });
}

/** Opens a session in memory. An unsaved session has no files on disk that it could rewind to. */
async function inMemory(context: AppContext, request: AgentSessionRequest): Promise<AgentSession> {
  const temporary = temporaryFolder();
  const store = openMemoryStore();
  const { values } = await context.settings();
  const bare: SessionContext = {
    store,
    clock: systemClock,
    settings: { blobBytes: values["log.blobBytes"] },
  };
  const deps = await agentSessionDeps(context, { bare, files: undefined, window: request.window });
  const session = await createSession(deps, await newSession(context), HOLDING);
  const error = new WorldlineError("session-without-files", {});
  return {
    deps,
    session,
    resumed: "new",
    workspaceFiles: { state: "off", error },
    kept: "no",
    outputs: join(temporary, `worldline-outputs-${session.id}`),
  };
}

/** Returns the real path of the system's temporary folder, where an unsaved session stores its long outputs. */
function temporaryFolder(): string {
  try {
    return realpathSync(tmpdir());
  } catch (cause) {
    throw new WorldlineError("no-temporary-folder", { folder: tmpdir() }, { cause });
  }
}

async function agentSessionDeps(
  context: AppContext,
  {
    bare,
    files,
    window,
  }: { readonly bare: SessionContext; readonly files: WorkspaceFiles | undefined; readonly window: number },
): Promise<SessionContext> {
  const { values } = await context.settings();
  return {
    ...bare,
    settings: {
      ...bare.settings,
      window,
      maxBacktracksPerTurn: values["backtrack.maxPerTurn"],
      keepExchanges: values["compaction.keep"],
    },
    ...(files === undefined ? {} : { files }),
  };
}

/**
 * Checks whether `continue` may choose the session. An empty session is still being created by another program, or that
 * program was killed while creating it.
 */
export function isToGoOnWith({ header, outline }: SessionView): boolean {
  return header.mode === "agent" && outline.length > 1 && header.confirmation?.state !== "needed";
}

/** Returns the existing session that the request names, or undefined for a new session. */
export async function wantedSession(
  context: AppContext,
  resume: ResumeRequest,
): Promise<SessionId | undefined> {
  if (resume.how === "new") return undefined;
  const { store } = await openSessionDeps(context);
  if (resume.how === "resume" && resume.wanted !== undefined) {
    const wanted = await resolveSession(store, resume.wanted);
    refuseExecution(await headerOf(store, wanted));
    return wanted;
  }
  const latest = (await sessionsHere(context, store)).find(isToGoOnWith);
  if (latest !== undefined) return latest.id;
  throw new WorldlineError("no-session-to-go-on", { workspace: await context.workspace() });
}

/**
 * Returns the context of the workspace that the request applies to. A session works in its own workspace, no matter
 * where it is resumed: that workspace's deny rules apply, and the current folder's allow rules do not.
 */
export async function contextOfRequest<Context extends AppContext>(
  context: Context,
  { resume }: Pick<SessionRequest, "resume">,
): Promise<Context> {
  if (resume.how !== "resume" || resume.wanted === undefined) return context;
  const store = openStore(context);
  const header = await headerOf(store, await resolveSession(store, resume.wanted));
  refuseExecution(header);
  requireConfirmed(store, header);
  const { session, workspace } = header;
  // If sessions are shared between machines, a missing folder is more likely to be on another machine than to have been
  // deleted.
  if (store.place.reach === "shared" && !existsSync(workspace)) {
    throw new WorldlineError("workspace-elsewhere", { session, workspace });
  }
  return contextOfSession(context, header);
}
