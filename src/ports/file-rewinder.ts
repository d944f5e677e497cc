/**
 * Restores files with another agent's own file checkpoints instead of our snapshots. It knows only some files, restores
 * all of them or none, and overwrites their current contents. Its result is always checked.
 */
export interface FileRewinder {
  /** The agent's name in `host` entries. */
  readonly host: string;
  /** The name in a sentence, after "the". */
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
  /** What `rewind` would change. Rejects if it cannot rewind; nothing is changed then. */
  preview(place: HostPlace): Promise<RewinderPreview>;
  /** Rejects if it changed nothing, or if it is unknown what it changed. */
  rewind(place: HostPlace): Promise<void>;
}

/** What it cannot do, as codes that `strings` has sentences for. */
export type RewinderLimit = "overwrites" | "commands" | "sub-agents" | "folders";

/** A prompt, by the other agent's id: files go back to their state at that time. */
export interface HostPlace {
  readonly hostSession: string;
  readonly message: string;
}

export interface RewinderPreview {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Lines over all paths, if it counts them. */
  readonly added?: number;
  readonly removed?: number;
}
