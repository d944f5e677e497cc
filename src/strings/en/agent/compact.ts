import { counted } from "../measures/counted.ts";

const tokens = (count: number): string => counted(count, "token", "tokens");

/** `compact`. */
export const compact = {
  asking: (model: string) => `${model} is writing a summary`,
  done: (before: number, after: number, model: string) =>
    `Compacted: ${before.toLocaleString("en")} -> ${tokens(after)}, with a summary by ${model}.`,
  nothingLost: "Nothing is lost: worldline log shows all of it, and a rewind brings it back.",
  wouldSummarise: (entries: number, count: number) =>
    `A summary would stand for ${counted(entries, "entry", "entries")}, about ${tokens(count)}.`,
  wouldKeep: (exchanges: number, entries: number) =>
    `Kept as they are: the last ${counted(exchanges, "exchange", "exchanges")} (${counted(entries, "entry", "entries")}).`,
  wouldPin: (prompt: string) => `Kept, too: the prompt "${prompt}"`,
  dryRun: "Nothing was changed.",
};
