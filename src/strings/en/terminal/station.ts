/** What the station says by itself; the screen shows it as it is. */
export const station = {
  lookedFor: {
    variable: (name: string) => `${name} in the environment`,
    setting: 'the setting "model"',
    settingNamed: (model: string) => `the setting "model": ${model}`,
    kept: "keys that `worldline setup` keeps",
  },
  /** All that stays on the terminal when the screen is gone. */
  resume: (command: string) => `Resume with: ${command}`,
  trustedLater:
    "Trusted. MCP servers and permission rules of this folder count when a session is opened next.",
  sample: {
    made: (folder: string) => `A small shop with a test that passes: ${folder}`,
    broken: (steps: number) => `An agent has worked on it in ${steps} steps, and now its test fails.`,
    asked: "Which step broke it? The finder asks the test itself, in copies of earlier states:",
    right: "That is what was done: it is right.",
    wrong: "That is NOT what was done. Please report it, with: worldline find --sample",
    gone: "All of it was in a temporary folder, which is gone again.",
  },
};
