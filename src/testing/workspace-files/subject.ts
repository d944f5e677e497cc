import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { FileState, PathBytes } from "../../record/files.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import { sessionNumber } from "../story.ts";

/** A workspace under test, empty and in a place of its own, and the hands of whoever works in it. */
export interface WorkspaceFilesSubject {
  readonly files: WorkspaceFiles;
  /** The same workspace and store as another process would open them; it is closed with the first. */
  another(): WorkspaceFiles;
  /** Writes a file; makes the folders above it. Paths are ASCII, modes 0644 unless told. */
  write(path: PathBytes, text: string, mode?: number): void;
  mkdir(path: PathBytes): void;
  /** With everything in it. */
  remove(path: PathBytes): void;
  /** What is there: of a file its text, of everything else `(kind)`; folders only where they are empty. */
  there(): Record<string, string>;
  /** Makes a link; or why there are none here. */
  readonly link: ((path: PathBytes, target: string) => void) | NotHere;
  /** Ends the next restore when so many of its paths are written, as if the process was killed there. */
  readonly killRestoreAfter: ((paths: number) => void) | NotHere;
  /** Lets everything go that is not kept, as another process would. */
  readonly collect: (() => Promise<void>) | NotHere;
  /** Leaves nothing behind. */
  end(): Promise<void>;
}

/** A skipped case needs a reason. */
export interface NotHere {
  readonly notHere: string;
}

export interface FilesCase {
  readonly title: string;
  /** What the case needs of the subject besides the files. */
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

/** Goes from one snapshot to another, all of it. */
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
