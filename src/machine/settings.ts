import { type OptionsOf, option } from "../record/options.ts";

/** The settings that a session uses. */
export interface SessionSettings {
  /** Strings that are longer than this are stored in blobs. The lowest effective value is SPILL_FLOOR. */
  readonly blobBytes: number;
  /** The size of the model's context window, in tokens; 0 if it is unknown. */
  readonly window: number;
  readonly maxBacktracksPerTurn: number;
  /** The number of exchanges that a compaction keeps unchanged. */
  readonly keepExchanges: number;
  /** The maximum number of checkpoints listed in metadata.json. */
  readonly keepCheckpoints: number;
}

export const defaultSessionSettings: SessionSettings = {
  blobBytes: 16_384,
  window: 0,
  maxBacktracksPerTurn: 32,
  keepExchanges: 2,
  keepCheckpoints: 10,
};

/** Rules for checking the settings that untyped callers pass. */
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
