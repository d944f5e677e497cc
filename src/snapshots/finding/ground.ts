import type { PathBytes } from "../../record/files.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { Coverage } from "./coverage.ts";
import type { FolderMemory } from "./folder-memory.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

/** What a scan goes over, and by. */
export interface Ground {
  readonly disk: WorkspaceDisk;
  /** The workspace, absolute. */
  readonly root: PathBytes;
  readonly coverage: Coverage;
  readonly outside: IgnoreRules;
  readonly now: () => number;
  /** What is remembered, each folder behind the one it is in. */
  readonly folders: Map<PathBytes, FolderMemory>;
}
