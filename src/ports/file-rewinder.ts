/**
 * Takes files back by another agent's own file checkpoints, in place of our snapshots. It knows some files only, takes back
 * all of them or none, and overwrites what stands there. What it does is looked at afterwards, and never believed.
 */
export interface FileRewinder {
  /** The agent, as its `host` entries name it. */
  readonly host: string;
  /** As a sentence names it, behind "the". */
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
  /** What `rewind` would change. Rejects where it cannot: nothing is changed then. */
  preview(place: HostPlace): Promise<RewinderPreview>;
  /** Rejects where it changed nothing, or nobody knows what. */
  rewind(place: HostPlace): Promise<void>;
}

/** What it cannot do, in words that `strings` has sentences for. */
export type RewinderLimit = "overwrites" | "commands" | "sub-agents" | "folders";

/** A prompt, as the other agent knows it: files go to how they were when it was given. */
export interface HostPlace {
  readonly hostSession: string;
  readonly message: string;
}

export interface RewinderPreview {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Lines, over all paths, where it counts them. */
  readonly added?: number;
  readonly removed?: number;
}
