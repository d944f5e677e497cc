/**
 * Restores files from another agent's own file checkpoints instead of our snapshots. The other agent tracks only some
 * of the files, restores either all or none of them, and overwrites their current contents. The caller always checks
 * the result.
 */
export interface FileRewinder {
  /** The other agent's name in `host` entries. */
  readonly host: string;
  /** The other agent's name in sentences, where it follows "the". */
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
  /** Returns what `rewind` would change. Changes nothing. Rejects if `rewind` is not possible. */
  preview(place: HostPlace): Promise<RewinderPreview>;
  /** Restores the files. Rejects if no file was changed, or if it is unknown which files were changed. */
  rewind(place: HostPlace): Promise<void>;
}

/** Codes for what the other agent cannot do. `strings` contains a sentence for each code. */
export type RewinderLimit = "overwrites" | "commands" | "sub-agents" | "folders";

/** A prompt, identified by the other agent's ids. Files are restored to their state at the time of this prompt. */
export interface HostPlace {
  readonly hostSession: string;
  readonly message: string;
}

export interface RewinderPreview {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** The total number of lines that would be added; absent if the other agent does not count them. */
  readonly added?: number;
  readonly removed?: number;
}
