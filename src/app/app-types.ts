import type { Agent } from "../ports/agent.ts";
import type { SessionId } from "../record/ids.ts";
import type { ModelState, Models } from "./agent/models/model-types.ts";
import type { Journeys } from "./journeys/journey-types.ts";
import type { Notice } from "./notices.ts";
import type { Queries } from "./queries/query-types.ts";
import type { Sessions } from "./sessions/session-types.ts";
import type { FirstSteps } from "./upkeep/first-step-types.ts";
import type { Upkeep } from "./upkeep/upkeep-types.ts";

/**
 * Where a person sits: an agent at work on a session, and all that can be asked or done by hand about its timeline. The
 * screen sees nothing else of the program.
 *
 * Contract:
 * - Every method rejects with a WorldlineError whose message and hint can be shown as they are; then nothing was changed.
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
