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
import type { AppContext } from "./context.ts";
import type { CurrentSession, SessionAccess } from "./current/current-session.ts";
import { journeysOn } from "./current/journeys.ts";
import { modelsOn } from "./current/models.ts";
import { SessionSwitcher } from "./current/session-switcher.ts";
import { openSession, type Sessions, sessionsOn } from "./current/sessions.ts";
import { type Answered, type FirstSteps, firstStepsOn, type Upkeep, upkeepOn } from "./current/upkeep.ts";
import type { Journeys } from "./journeys/journey-types.ts";
import type { Notice } from "./notices.ts";
import { contextFill } from "./queries/context-fill.ts";
import { placeEntries } from "./queries/place-entries.ts";
import type { Queries } from "./queries/query-types.ts";
import { resumedRecap } from "./queries/recap.ts";
import { TimelineStates } from "./queries/timeline-state.ts";
import { treeRows } from "./queries/tree.ts";
import { mentionableFiles, workspaceDiff } from "./queries/workspace-files.ts";

/** What a front end adds that is no use case. */
export interface AppExtras {
  /** What `worldline <words>` would print about the session here, for a front end that shows it as text. */
  ask(current: CurrentSession, words: readonly string[]): Promise<Answered>;
  /** Breaks a sample project in a random way, and has the finder find it; lines as they come. */
  findInSample(onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Puts a small project into an empty folder. */
  makeSample(folder: string): Promise<void>;
}

export interface OpenAppOptions {
  readonly request: AgentRequest;
  readonly person: Person;
  readonly extras: AppExtras;
}

/** Opens the session that is asked for, with its agent; without a model, too. Anything else that is wrong is thrown. */
export async function openApp(context: AppContext, options: OpenAppOptions): Promise<App> {
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
    settings: screenSettings(switcher),
    queries: queriesOn(parts),
    journeys: journeysOn(parts),
    sessions: sessionsOn(switcher),
    models: modelsOn(switcher),
    upkeep: upkeepOn(switcher, options.extras),
    firstSteps: firstStepsOn(switcher, options.extras),
    on: (listener) => switcher.on(listener),
    close: () => switcher.close(),
  };
}

/**
 * Where a person sits: an agent at work on a session, and all that can be asked or done by hand about its timeline. The
 * screen sees nothing else of the program.
 *
 * Contract:
 * - Every method rejects with a WorldlineError; then nothing was changed. Its `message` and `hint` are English: front ends
 *   render its `reason` and `params` in the user's language.
 * - What needs the session for itself (a journey, another session) rejects with TURN_RUNNING while a turn runs.
 * - `agent` may be another one after `sessions.open`, `begin` or `fork`: "replaced" is told after that (also where it
 *   failed, and what was here before is held anew), and before the
 *   new one tells anything.
 */
export interface App {
  readonly agent: Agent;
  readonly model: ModelState;
  readonly settings: ScreenSettings;
  readonly queries: Queries;
  readonly journeys: Journeys;
  readonly sessions: Sessions;
  readonly models: Models;
  readonly upkeep: Upkeep;
  readonly firstSteps: FirstSteps;
  readonly auto: AutoMode;
  /** What is to be said of what is here, of settings, damage or files that cannot be captured; anew with each "replaced". */
  readonly warnings: readonly Notice[];

  on(listener: (event: AppEvent) => void): () => void;
  /** Lets go of everything; no process and no lock is left. Says how the session is resumed. */
  close(): Promise<Farewell>;
}

/** Auto mode, which the user enters by name and confirms once in each session. */
export interface AutoMode {
  /** Until then `agent.setMode("auto")` throws. */
  readonly isConfirmed: boolean;
  /** The user has said yes, for the session that is here. */
  confirm(): void;
  /** Whether settings, or the session that was here before, want auto mode and the user is to be asked. True once. */
  takeRequest(): boolean;
}

export type AppEvent =
  /** "reopened": the same session, held anew. "visited": opened for a journey there. */
  | {
      readonly type: "replaced";
      readonly how: "opened" | "begun" | "forked" | "reopened" | "visited";
      readonly from: SessionId;
    }
  | { readonly type: "model"; readonly model: ModelState }
  | { readonly type: "notice"; readonly notice: Notice };

/** What of the settings the screen goes by. */
export interface ScreenSettings {
  readonly doubleEscapeMs: number;
  readonly theme: "auto" | "light" | "dark";
  readonly mouse: "on" | "off";
  readonly backtrackDisplay: "card" | "line" | "off";
}

export interface Farewell {
  /** The session to resume; absent where there is nothing to resume. */
  readonly resume?: SessionId;
}

/** What the screen goes by: always as the settings were read last, of the workspace that is here. */
function screenSettings(switcher: SessionSwitcher): ScreenSettings {
  return {
    get doubleEscapeMs() {
      return switcher.values["ui.doubleEscapeMs"];
    },
    get theme() {
      return switcher.values["ui.theme"];
    },
    get mouse() {
      return switcher.values["ui.mouse"] ? "on" : "off";
    },
    get backtrackDisplay() {
      return switcher.values["backtrack.display"];
    },
  };
}

/** What can be seen of the session that is here now. */
export function queriesOn(parts: SessionAccess): Queries {
  const session = (): Session => parts.here().opened.session;
  let states: { readonly of: Session; readonly states: TimelineStates } | undefined;
  return {
    page: async (request) => branchPage(session(), request),
    filesOfTurn: async (prompt) => filesOfTurn(session(), parts.here().opened.here.files, prompt),
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
    tree: async () => treeRows(session()),
    place: async (entry) => placeEntries(session(), entry),
    files: async () => {
      const { context, agent } = parts.here();
      return mentionableFiles(agent.workspace, context.surroundings.environment);
    },
    diff: async (request) => workspaceDiff(parts.here().opened, request),
    recap: async () => resumedRecap(parts.here().opened),
  };
}
