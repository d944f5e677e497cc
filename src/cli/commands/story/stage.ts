import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../disk/system-clock.ts";
import { type Ground, viewSession } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { SessionId } from "../../../record/ids.ts";
import { openFilesStore } from "../../../stores/files/files.ts";

/** A home and a workspace that are nobody's, and are gone after the story. */
export interface Stage {
  readonly home: string;
  readonly workspace: string;
  readonly ground: Ground;
  /** The session as a program finds it that knows nothing but the files. */
  look(session: SessionId): Promise<SessionView>;
  logFile(session: SessionId): string;
  log(session: SessionId): Buffer;
  strike(): void;
}

export function openStage(): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "worldline-story-")));
  const home = join(folder, "home");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const openStore = () => openFilesStore({ root: home, clock: systemClock });
  const logFile = (session: SessionId) => join(home, "sessions", session, "log.jsonl");
  return {
    home,
    workspace,
    ground: { store: openStore(), clock: systemClock },
    look: (session) => viewSession(openStore(), session),
    logFile,
    log: (session) => readFileSync(logFile(session)),
    strike: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
