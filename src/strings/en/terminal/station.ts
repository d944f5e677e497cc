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
  notSent: (count: number) =>
    `Not sent: ${count === 1 ? "1 message" : `${count} messages`} (the history has ${count === 1 ? "it" : "them"}, ↑)`,
  /** In a list of sessions. */
  forkOf: (title: string) => `fork of ${title}`,
  leftRunning: (count: number) =>
    count === 1
      ? "A run of this session was killed, and a command of it still runs:"
      : `A run of this session was killed, and ${count} commands of it still run:`,
  leftRunningHint: "Your next prompt or ! command ends it first. A rewind offers to end it too.",
  otherFolder: (folder: string) => `This session works in another folder: ${folder}`,
  folderGone: (folder: string) => `${folder} is not there any more; /rewind makes it again`,
  dumb: "No screen is opened here: this terminal says that nothing can be drawn on it (TERM=dumb). All commands work.",
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
