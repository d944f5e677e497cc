import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/disk/system-clock.ts";
import { createSession, type SessionContext, viewSession } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import type { SessionView } from "../../src/machine/view.ts";
import { WorldlineError } from "../../src/record/error.ts";
import type { EntryId, SessionId } from "../../src/record/ids.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import type { Strings } from "../../src/strings/strings.ts";
import { branchOf } from "../../src/timeline/outline.ts";
import { openStage, type Stage } from "../stage.ts";
import { type Exchange, script } from "./script.ts";

/** A stage whose sessions can also be read as files. */
export interface StoryStage extends Stage {
  readonly deps: SessionContext;
  /** Opens the session from the files alone. */
  look(session: SessionId): Promise<SessionView>;
  logFile(session: SessionId): string;
  log(session: SessionId): Buffer;
}

export function openStoryStage(): StoryStage {
  const stage = openStage("story");
  const { home } = stage;
  const openStore = () => openFilesStore({ root: home, clock: systemClock });
  const logFile = (session: SessionId) => join(home, "sessions", session, "log.jsonl");
  return {
    ...stage,
    deps: { store: openStore(), clock: systemClock },
    look: (session) => viewSession(openStore(), session),
    logFile,
    log: (session) => readFileSync(logFile(session)),
  };
}

/** A claim of the story, checked against the files. */
export interface Claim {
  readonly claim: string;
  /** The count or the comparison that supports or contradicts the claim. */
  readonly found: string;
  readonly holds: boolean;
}

/** A story in progress: the events until now, and the claims about them. */
export class Performance {
  readonly stage: StoryStage;
  readonly strings: Strings["story"];
  readonly acts: string[] = [];
  readonly claims: Claim[] = [];
  /** The branches that journeys left, as they were before the journeys. */
  readonly left: (readonly EntryId[])[] = [];
  /** All acknowledged entries. */
  readonly acknowledged = new Set<EntryId>();
  /** The log's bytes after each act. */
  readonly logs: Buffer[] = [];
  readonly #session: Session;
  readonly #cancelled: AbortSignal;
  #calls = 0;

  private constructor(session: Session, parts: PerformanceOptions) {
    this.stage = parts.stage;
    this.strings = parts.strings;
    this.#session = session;
    this.#cancelled = parts.cancelled;
    session.on((event) => {
      if (event.type === "entry") this.acknowledged.add(event.entry.id);
    });
  }

  static async begin(parts: PerformanceOptions): Promise<Performance> {
    const { deps, workspace } = parts.stage;
    const session = await createSession(
      deps,
      { workspace, system: script.system },
      { name: "worldline story" },
    );
    return new Performance(session, parts);
  }

  get session(): Session {
    return this.#session;
  }

  act(text: string): void {
    if (this.#cancelled.aborted) throw new WorldlineError("story-stopped", {});
    this.acts.push(text);
    this.logs.push(this.stage.log(this.session.id));
  }

  claim(claim: Claim): void {
    this.claims.push(claim);
  }

  /**
   * Records the current branch, which must still be reachable after the next journey. Call this before each journey.
   */
  rememberBranch(): void {
    this.left.push(branchOf(this.session.outline).map((row) => row.id));
  }

  /**
   * Starts a step: the model's reply with a call, and the start of the tool. Returns the call, which has
   * not ended yet.
   */
  async call({ say, tool, input }: Omit<Exchange, "result">): Promise<string> {
    this.#calls += 1;
    const call = `call-${this.#calls}`;
    const parts = [
      { type: "text", text: say } as const,
      { type: "tool-call", call, name: tool, input } as const,
    ];
    await this.session.reply({ model: script.model, parts });
    await this.session.toolStart(call, tool);
    return call;
  }

  async exchange(exchange: Exchange): Promise<number> {
    const step = await this.session.step();
    const call = await this.call(exchange);
    await this.session.toolEnd(call, "ok", exchange.result);
    return step;
  }
}

export interface PerformanceOptions {
  readonly stage: StoryStage;
  readonly strings: Strings["story"];
  readonly cancelled: AbortSignal;
}
