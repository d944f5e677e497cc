import type { PathBytes } from "../../record/files.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { Coverage } from "./coverage.ts";
import type { FolderMemory } from "./folder-memory.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

/** Counts what is put in and taken out, for whoever remembers something about it. */
export class RememberedFolders extends Map<PathBytes, FolderMemory> {
  changes = 0;

  override set(path: PathBytes, folder: FolderMemory): this {
    this.changes += 1;
    return super.set(path, folder);
  }

  override delete(path: PathBytes): boolean {
    this.changes += 1;
    return super.delete(path);
  }
}

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
