/** What can be asked, and what takes a key to be asked. */
export const models = {
  usable: { yes: "yes", no: "no" },
  chosen: (model: string, window: number) =>
    `Without --model: ${model}, with a window of ${window.toLocaleString("en")} tokens`,
  assumed: "(assumed; set it with the setting models)",
  ofSetting: (setting: string, place: string) =>
    `The model that the setting ${setting} names (${place}) cannot be used`,
  noSummariser: (why: string, hint: string) => `${why} The main model summarises instead. ${hint}`.trim(),
  noneChosen: (why: string) => `Without --model: none. ${why}`,
  more: (count: number) => `and ${count} more`,
  finder: "Needs no key and no network; finds what broke a test.",
};

/** What `setup` asks and says. The key is in none of it. */
export const setup = {
  whichProvider: "Which provider is the key of?",
  keyQuestion: (provider: string) => `Key for ${provider} (it is not shown): `,
  testing: (model: string) => `Asking ${model} for one word`,
  kept: (provider: string, file: string) => `The key for ${provider} is kept in ${file}`,
  works: (model: string) => `It works: ${model} has answered.`,
  notTested: "It was not tried.",
  removed: (provider: string, file: string) => `The key for ${provider} is not in ${file} any more.`,
  wasNotKept: (provider: string) => `No key for ${provider} was kept.`,
  noKeyNeeded: (provider: string) => `${provider} needs no key.`,
  withoutKey: (model: string, does: string) => `Without any key: --model ${model}. ${does}`,
  environmentWins: (variable: string) => `${variable} is set, and goes before the key that is kept.`,
};
