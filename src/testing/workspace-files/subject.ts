import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { FileState, PathBytes } from "../../record/files.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import { sessionNumber } from "../story.ts";

/** An empty workspace under test, separate from all others, with functions to change its files. */
export interface WorkspaceFilesSubject {
  readonly files: WorkspaceFiles;
  /** Opens the same workspace and store, as another process would. They are closed together with `files`. */
  another(): WorkspaceFiles;
  /** Writes a file, and creates the folders above it. Paths are ASCII. The default mode is 0644. */
  write(path: PathBytes, text: string, mode?: number): void;
  mkdir(path: PathBytes): void;
  /** Removes a path with everything in it. */
  remove(path: PathBytes): void;
  /**
   * Returns all existing paths, with the text of each file and with `(kind)` for everything else. Includes folders only
   * if they are empty.
   */
  there(): Record<string, string>;
  /** Creates a link. If links are not available, the field contains the reason instead. */
  readonly link: ((path: PathBytes, target: string) => void) | NotHere;
  /** Interrupts the next restore after it has changed this many paths, as if its process had been killed. */
  readonly killRestoreAfter: ((paths: number) => void) | NotHere;
  /** Removes every snapshot that is not kept, as another process would. */
  readonly collect: (() => Promise<void>) | NotHere;
  /** Removes the workspace and the store. */
  end(): Promise<void>;
}

/** The reason why a test case is skipped. */
export interface NotHere {
  readonly notHere: string;
}

export interface FilesCase {
  readonly title: string;
  /** An additional ability that the subject must have for this test case. */
  readonly needs?: "link" | "killRestoreAfter" | "collect";
  run(subject: WorkspaceFilesSubject): Promise<void>;
}

export interface FilesGroup {
  readonly title: string;
  readonly cases: readonly FilesCase[];
}

export const SESSION: SessionId = sessionNumber(1);

export async function captureAll(files: WorkspaceFiles): Promise<SnapshotId> {
  return (await files.capture({ look: "everything" })).snapshot;
}

/** Restores everything from one snapshot to the state of another. */
export async function goFrom(
  files: WorkspaceFiles,
  [left, target]: readonly [SnapshotId, SnapshotId],
  commit: () => Promise<void> = async () => undefined,
): Promise<ReturnType<WorkspaceFiles["restore"]>> {
  const steps = await files.compare(left, target);
  return files.restore({ session: SESSION, journey: { from: "e1", left }, steps, commit });
}

export async function textAt(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
  path: PathBytes,
): Promise<string | undefined> {
  const state = await files.stateAt(snapshot, path);
  return state?.kind === "file" ? textOf(files, state) : undefined;
}

export async function textOf(
  files: WorkspaceFiles,
  state: FileState | undefined,
): Promise<string | undefined> {
  if (state?.kind !== "file") return undefined;
  return new TextDecoder().decode(await files.content(state.hash));
}
