import { counted } from "../measures/counted.ts";

const whole = (count: number): string => count.toLocaleString("en");

/** Made where it is needed: the data for it costs every start more than all other words together. */
function inDollars(amount: number): string {
  return new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(
    amount,
  );
}

/** `stats`. */
export const stats = {
  fields: {
    sessions: "sessions",
    prompts: "prompts",
    steps: "steps",
    replies: "replies",
    tokens: "tokens",
    cache: "cache",
    cost: "cost",
    tools: "tool calls",
    backtracks: "backtracks",
    saved: "saved",
    journeys: "rewinds",
    compactions: "compactions",
  },
  replies: (count: number, models: string) => (models === "" ? whole(count) : `${whole(count)} (${models})`),
  ofModel: (model: string, count: number) => `${model}: ${whole(count)}`,
  tokens: (input: number, output: number) => `${whole(input)} in, ${whole(output)} out`,
  uncounted: (count: number) => `without ${counted(count, "reply", "replies")} whose provider did not count`,
  cache: (read: number, written: number, rate: number) =>
    `${whole(read)} read, ${whole(written)} written: ${Math.round(100 * rate)} % of what was sent came from it`,
  nothingCounted: "no provider has counted anything",
  dollars: (amount: number) => inDollars(amount),
  priceUnknown: (models: string) => `not known: no price for ${models} (give one with the setting models)`,
  withoutPrice: (cost: string, models: string) =>
    `${cost}, without ${models}, whose price is not known (give one with the setting models)`,
  tool: (calls: number, troubles: readonly string[]) => [whole(calls), ...troubles].join(", "),
  failed: (count: number) => `${whole(count)} failed`,
  denied: (count: number) => `${whole(count)} denied`,
  interrupted: (count: number) => `${whole(count)} interrupted`,
  backtracks: (count: number, entries: number, tokens: number) =>
    count === 0
      ? "0"
      : `${whole(count)}: ${counted(entries, "entry", "entries")} and ${counted(tokens, "token", "tokens")} left behind`,
  saved: (tokens: number, cost: string | undefined) =>
    `about ${counted(tokens, "token", "tokens")}${cost === undefined ? "" : `, ${cost}`}: an estimate`,
  savedBasis:
    "Tokens: what backtracks took out of the context, counted once. Dollars: what later requests would have paid to carry it, at " +
    "the price of cached tokens. Neither says how the work would have gone otherwise.",
  journeys: (rewinds: number, redos: number) =>
    redos === 0 ? whole(rewinds) : `${whole(rewinds)}, ${counted(redos, "redo", "redos")}`,
  compactions: (count: number, before: number, after: number) =>
    count === 0 ? "0" : `${whole(count)}: ${whole(before)} -> ${counted(after, "token", "tokens")}`,
};
