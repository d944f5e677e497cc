import type { FileState, PathBytes } from "../../record/files.ts";

/** How a path is to be in a scratch copy: as a snapshot has it, with other bytes, or not there at all. */
export type Wanted = FileState | WrittenFile | undefined;

/** A file that no snapshot holds. */
export interface WrittenFile {
  readonly kind: "written";
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** What is otherwise than in a snapshot. */
export type Overlay = ReadonlyMap<PathBytes, Wanted>;
