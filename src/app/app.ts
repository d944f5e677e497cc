import { filesOfTurn } from "../agent/turn/files/changed-files.ts";
import { leftBehindBy, leftPart } from "../machine/queries/left-behind.ts";
import type { Session } from "../machine/session.ts";
import { branchPage, todosAtHead } from "../machine/view.ts";
import type { Agent } from "../ports/agent.ts";
import type { Person } from "../ports/person.ts";
import type { SessionId } from "../record/ids.ts";
import { contextTokens } from "../timeline/token-count.ts";
import type { AgentRequest } from "./agent/agent-request.ts";
import type { ModelState, Models } from "./agent/models.ts";
import { type AppContext, freshContext } from "./context.ts";
import type { SessionAccess } from "./current/current-session.ts";
import { journeysOn } from "./current/journeys.ts";
import { modelsOn } from "./current/models.ts";
import { SessionSwitcher } from "./current/session-switcher.ts";
import { openSession, type Sessions, sessionsOn } from "./current/sessions.ts";
import { type Upkeep, upkeepOn } from "./current/upkeep.ts";
import type { Journeys } from "./journeys/journey-types.ts";
import type { Notice } from "./notices.ts";
import { contextFill } from "./queries/context-fill.ts";
import { placeEntries } from "./queries/place-entries.ts";
import type { Queries } from "./queries/query-types.ts";
import { resumedRecap } from "./queries/recap.ts";
import { statsOfSession } from "./queries/stats.ts";
import { TimelineStates } from "./queries/timeline-state.ts";
import { treeRows } from "./queries/tree.ts";
import { mentionableFiles, turnStart, workspaceDiff } from "./queries/workspace-files.ts";
import type { Settings } from "./settings/table.ts";

/**
 * Opens the requested session with its agent, even if there is no model. Throws if anything else is missing or fails.
 */
export async function openApp(
  context: AppContext,
  options: { readonly request: AgentRequest; readonly person: Person },
): Promise<App> {
  const switcher = await SessionSwitcher.open(context, options);
  const parts: SessionAccess = {
    here: () => switcher.here,
    alone: (work) => switcher.alone(work),
    open: (session) => switcher.alone(async () => openSession(switcher, session, "visited")),
    warn: (notice) => switcher.warn(notice),
  };
  return {
    get agent() {
      return switcher.here.agent;
    },
    get model() {
      return switcher.model;
    },
    get warnings() {
      return switcher.warnings;
    },
    auto: switcher.auto,
    get settings() {
      return switcher.values;
    },
    queries: queriesOn(parts),
    journeys: journeysOn(parts),
    sessions: sessionsOn(switcher),
    models: modelsOn(switcher),
    upkeep: upkeepOn(switcher),
    on: (listener) => switcher.on(listener),
    close: () => switcher.close(),
  };
}

/**
 * Everything that a screen needs: an agent with its session, and all queries and actions on its timeline. The screen
 * uses nothing else in the program.
 *
 * Contract:
 * - A method that rejects has changed nothing, and rejects with a WorldlineError whose message and hint can be shown as
 *   they are.
 * - Work that needs exclusive use of the session (a journey or a change of session) rejects with TURN_RUNNING during a
 *   turn.
 * - `sessions.open`, `openFolder`, `begin` and `fork` may replace `agent`. If `agent` is replaced, "replaced" is
 *   emitted before any event from the new agent. After a failure, "replaced" is also emitted as soon as the old session
 *   has been reopened.
 */
export interface App {
  readonly agent: Agent;
  readonly model: ModelState;
  /** The settings of the current workspace, as they were last read. */
  readonly settings: Settings;
  readonly queries: Queries;
  readonly journeys: Journeys;
  readonly sessions: Sessions;
  readonly models: Models;
  readonly upkeep: Upkeep;
  readonly auto: AutoMode;
  /**
   * Warnings about the current session: its settings, damage, and files that cannot be captured. Each "replaced" event
   * comes with new warnings.
   */
  readonly warnings: readonly Notice[];

  on(listener: (event: AppEvent) => void): () => void;
  /** Closes everything and leaves no process or lock behind. Resolves with the session to resume, if any. */
  close(): Promise<Farewell>;
}

/** The state of auto mode, which the user requests by name and confirms once per session. */
export interface AutoMode {
  /** Until auto mode is confirmed, `agent.setMode("auto")` throws. */
  readonly isConfirmed: boolean;
  /** Records that the user has confirmed auto mode for the current session. */
  confirm(): void;
  /** Whether the user must be asked because the settings or the previous session request auto mode. True only once. */
  takeRequest(): boolean;
}

export type AppEvent =
  /** "reopened": the same session was opened again. "visited": the session was opened for a journey in it. */
  | {
      readonly type: "replaced";
      readonly how: "opened" | "begun" | "forked" | "reopened" | "visited";
      readonly from: SessionId;
    }
  | { readonly type: "model"; readonly model: ModelState }
  | { readonly type: "notice"; readonly notice: Notice };

export interface Farewell {
  /** The session to resume; absent if there is nothing to resume. */
  readonly resume?: SessionId;
}

/** Returns queries that work on whatever session is current when they are called. */
export function queriesOn(parts: SessionAccess): Queries {
  const session = (): Session => parts.here().opened.session;
  let states: { readonly of: Session; readonly states: TimelineStates } | undefined;
  return {
    page: async (request) => branchPage(session(), request),
    filesOfTurn: async (prompt) => filesOfTurn(session(), parts.here().opened.workspaceFiles.files, prompt),
    leftBehind: async (journey) => leftBehindBy(session(), journey),
    leftPart: async (journey) => leftPart(session(), journey),
    compactedTo: async (compaction) => {
      const { outline } = session();
      const row = outline.byId(compaction);
      return row === undefined ? undefined : contextTokens(outline, row, row.seq);
    },
    state: async () => {
      if (states?.of !== session()) states = { of: session(), states: new TimelineStates() };
      return states.states.now(parts.here());
    },
    todos: async () => todosAtHead(session()),
    context: async () => contextFill(session(), parts.here().agent),
    stats: async () => {
      const { context, agent, opened } = parts.here();
      // The user may have set prices since the session was opened.
      const fresh = freshContext(context, agent.workspace);
      return statsOfSession(fresh, opened.deps.store, opened.session);
    },
    tree: async () => treeRows(session()),
    place: async (entry) => placeEntries(session(), entry),
    files: async () => {
      const { context, agent } = parts.here();
      return mentionableFiles(agent.workspace, context.surroundings.environment);
    },
    turnStart: async () => turnStart(session().outline),
    diff: async (request) => workspaceDiff(parts.here().opened, request),
    recap: async () => resumedRecap(parts.here().opened),
  };
}
