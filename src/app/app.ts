import type { Person } from "../ports/person.ts";
import type { AgentRequest } from "./agent/agent-request.ts";
import { modelsOn } from "./agent/models/models.ts";
import type { App } from "./app-types.ts";
import type { AppContext } from "./context.ts";
import { screenSettings } from "./current/screen-settings.ts";
import type { CurrentSession, SessionAccess } from "./current/session-access.ts";
import { SessionSwitcher } from "./current/session-switcher.ts";
import { withHintsHere } from "./current/with-hints-here.ts";
import { journeysOn } from "./journeys/journeys.ts";
import { queriesOn } from "./queries/queries.ts";
import { openSession, sessionsOn } from "./sessions/sessions.ts";
import { firstStepsOn } from "./upkeep/first-steps.ts";
import { upkeepOn } from "./upkeep/upkeep.ts";
import type { Answered } from "./upkeep/upkeep-types.ts";
import type { AppWords } from "./words.ts";

/** What a front end adds that is no use case. */
export interface AppExtras {
  /** What `worldline <words>` would print about the session here, for a front end that shows it as text. */
  ask(current: CurrentSession, words: readonly string[]): Promise<Answered>;
  /** Breaks a sample project in a random way, and has the finder find it; lines as they come. */
  findInSample(tell: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Puts a small project into an empty folder. */
  makeSample(folder: string): Promise<void>;
}

export interface OpenAppOptions {
  readonly request: AgentRequest;
  readonly person: Person;
  readonly words: AppWords;
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
    queries: withHintsHere(queriesOn(parts)),
    journeys: withHintsHere(journeysOn(parts)),
    sessions: withHintsHere(sessionsOn(switcher)),
    models: withHintsHere(modelsOn(switcher)),
    upkeep: withHintsHere(upkeepOn(switcher, options.extras)),
    firstSteps: withHintsHere(firstStepsOn(switcher, options.extras)),
    on: (listener) => switcher.on(listener),
    close: () => switcher.close(),
  };
}
