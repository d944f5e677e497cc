/** What is said of whose agent works here. */
export const hosts = {
  claudeUntrusted:
    "This workspace is not trusted yet, so Claude reads neither its CLAUDE.md nor what is in .claude and .mcp.json. Look at " +
    "them, then: worldline config trust",
  claudeKeepsItsOwn:
    "--no-session: Worldline keeps nothing, but the Claude Agent SDK keeps its own transcript in its folder (CLAUDE_CONFIG_DIR, else ~/.claude).",
  /** Who keeps checkpoints of files, where settings and variables contradict each other: what holds, and what to do. */
  checkpointing: {
    engineWithoutSdk:
      'snapshots.engine is "sdk", which only the host claude has; Worldline\'s own snapshots are used here. ' +
      "To be rid of this: worldline config set snapshots.engine worldline",
    engineAndVariable: (variable: string) =>
      `snapshots.engine is "sdk", but ${variable} says that the Claude Agent SDK shall keep no checkpoints of files; the ` +
      `setting holds, and it keeps them. Unset ${variable}, or: worldline config set snapshots.engine worldline`,
    engineAndSetting:
      'snapshots.engine is "sdk", but enableFileCheckpointing is false; Worldline captures nothing, and a rewind of files has ' +
      "only the checkpoints of the Claude Agent SDK. To have both: worldline config set enableFileCheckpointing true",
    variableAndSetting: (variable: string) =>
      `${variable} is on, but enableFileCheckpointing is false; the Claude Agent SDK keeps its checkpoints, Worldline captures ` +
      'nothing, and a rewind of files answers "Checkpoint feature not enabled". To rewind with Worldline: worldline config ' +
      "set enableFileCheckpointing true; with the SDK's checkpoints: worldline config set snapshots.engine sdk",
    bothVariables: (enable: string, disable: string) =>
      `${enable} and ${disable} are both on; the second holds, and the Claude Agent SDK keeps no checkpoints of files of its ` +
      "own. Unset one of them.",
    notUnderstood: (variable: string, value: string) =>
      `${variable} is "${value}", which is neither on nor off, so it is passed over. Set it to 1 or 0, or unset it.`,
  },
  sdkReady: (version: string, folder: string) => `The Claude Agent SDK ${version} is in ${folder}`,
  sdkUnknown: (version: string, folder: string) =>
    `The Claude Agent SDK ${version} is in ${folder}; it is another version than Worldline knows.`,
  claudeAnswers:
    "The host is claude: it uses the login of Claude Code, or ANTHROPIC_API_KEY. No key of a provider is needed.",
  keepAnyway: "To keep a key for it all the same: worldline setup anthropic",
};
