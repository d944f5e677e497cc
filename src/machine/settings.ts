import { type OptionsOf, option } from "../record/options.ts";

/** The settings that a session uses. */
export interface SessionSettings {
  /**
   * Strings that are longer than this are stored in blobs. Values below SPILL_FLOOR have the same effect as
   * SPILL_FLOOR.
   */
  readonly blobBytes: number;
  /** The size of the model's context window, in tokens; 0 if it is unknown. */
  readonly window: number;
  readonly maxBacktracksPerTurn: number;
  /** How many exchanges a compaction keeps unchanged. */
  readonly keepExchanges: number;
  /** How many checkpoints metadata.json lists. */
  readonly keepCheckpoints: number;
}

export const defaultSessionSettings: SessionSettings = {
  blobBytes: 16_384,
  window: 0,
  maxBacktracksPerTurn: 32,
  keepExchanges: 2,
  keepCheckpoints: 10,
};

/** Checks the settings that untyped callers pass. */
export const settingsOptions: OptionsOf<SessionSettings> = {
  call: "settings",
  kinds: {
    blobBytes: option.amount,
    window: option.amount,
    maxBacktracksPerTurn: option.amount,
    keepExchanges: option.amount,
    keepCheckpoints: option.amount,
  },
};
