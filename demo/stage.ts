import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/disk/system-clock.ts";
import { createSession, holdSession, type SessionContext } from "../src/machine/open.ts";
import type { Session } from "../src/machine/session.ts";
import { openSnapshotUpkeep, openWorkspaceFiles } from "../src/open-files.ts";
import type { WorkspaceFiles } from "../src/ports/workspace-files.ts";
import type { SessionId } from "../src/record/ids.ts";
import { openFilesStore } from "../src/stores/files/files.ts";

const NAME = "worldline prove";

/** A temporary home, workspace and scratch folder. A demonstration does not write anywhere else. */
export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly scratch: string;
  remove(): void;
}

export function openStage(demonstration: "prove" | "story"): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `worldline-${demonstration}-`)));
  const places = {
    home: join(folder, "home"),
    workspace: join(folder, "workspace"),
    scratch: join(folder, "scratch"),
  };
  for (const place of Object.values(places)) mkdirSync(place);
  return { folder, ...places, remove: () => removeFolder(folder) };
}

/** A session on the stage, with its files. */
export interface HeldSession {
  readonly session: Session;
  readonly files: WorkspaceFiles;
  close(): Promise<void>;
}

export async function openSessionOn(
  stage: Pick<Stage, "home" | "workspace">,
  id?: SessionId,
): Promise<HeldSession> {
  const { home, workspace } = stage;
  const files = await openWorkspaceFiles({ workspace, home, name: NAME });
  const deps: SessionContext = {
    store: openFilesStore({ root: home, clock: systemClock }),
    clock: systemClock,
    files,
  };
  try {
    const session =
      id === undefined
        ? await createSession(deps, { workspace, mode: "workspace" }, { name: NAME })
        : await holdSession(deps, id, { name: NAME });
    return {
      session,
      files,
      close: async () => {
        await session.close();
        await files.close();
      },
    };
  } catch (error) {
    await files.close();
    throw error;
  }
}

export interface Verified {
  readonly snapshots: number;
  readonly faults: number;
}

/** Verifies the whole snapshot store. */
export async function verifyStage({ home }: Stage): Promise<Verified> {
  const upkeep = openSnapshotUpkeep({ home, name: NAME });
  const { snapshots, damage, problems, refDamage } = await upkeep.verify();
  return { snapshots, faults: damage.length + problems.length + refDamage.length };
}

/**
 * Removes a folder. The damage may have left read-only folders, whose contents cannot be removed, so all
 * folders are made writable first.
 */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    makeWritable(Buffer.from(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const OWNER_ALL = 0o700;

/** Makes a folder and all folders inside it writable. Uses a loop, because folders may be nested thousands deep. */
function makeWritable(folder: Buffer): void {
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    chmodSync(at, OWNER_ALL);
    for (const each of readdirSync(at, { encoding: "buffer", withFileTypes: true })) {
      if (each.isDirectory()) waiting.push(Buffer.concat([at, Buffer.from("/"), Buffer.from(each.name)]));
    }
  }
}
