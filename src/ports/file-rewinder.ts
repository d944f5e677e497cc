/**
 * Restores files with another agent's own file checkpoints instead of our snapshots. The other agent knows only some of
 * the files, restores either all or none of these, and overwrites their current contents. The caller always checks the
 * result.
 */
export interface FileRewinder {
  /** The other agent's name in `host` entries. */
  readonly host: string;
  /** The other agent's name in a sentence, after "the". */
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
  /** Reports what `rewind` would change, without changing anything. Rejects if `rewind` is not possible. */
  preview(place: HostPlace): Promise<RewinderPreview>;
  /** Restores the files. Rejects if it changed nothing, or if it is not known what it changed. */
  rewind(place: HostPlace): Promise<void>;
}

/** What the other agent cannot do, as codes that `strings` has sentences for. */
export type RewinderLimit = "overwrites" | "commands" | "sub-agents" | "folders";

/** A prompt, identified by the other agent's ids. Files go back to their state at the time of this prompt. */
export interface HostPlace {
  readonly hostSession: string;
  readonly message: string;
}

export interface RewinderPreview {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** How many lines would be added in all files; absent if the other agent does not count them. */
  readonly added?: number;
  readonly removed?: number;
}
