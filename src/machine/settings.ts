import { type OptionsOf, option } from "../record/options.ts";

/** What a session needs to know of the settings. */
export interface SessionSettings {
  /** Texts longer than this go to a blob; below SPILL_FLOOR it makes no difference. */
  readonly blobBytes: number;
  /** Size of the model's context window, in tokens; 0 where it is not known. */
  readonly window: number;
  readonly maxBacktracksPerTurn: number;
  /** How many exchanges a compaction leaves as they are. */
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

/** For callers without types. */
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
