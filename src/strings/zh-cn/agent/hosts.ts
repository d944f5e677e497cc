import type { Strings } from "../../strings.ts";

export const hosts: Strings["hosts"] = {
  claudeUntrusted:
    "这个工作区尚未受信任，因此 Claude 不会读取它的 CLAUDE.md，也不会读取 .claude 和 .mcp.json 的内容。请先查看它们，然后：worldline config trust",
  claudeKeepsItsOwn:
    "--no-session：Worldline 不保存任何内容，但 Claude Agent SDK 会在自己的文件夹（CLAUDE_CONFIG_DIR，否则为 ~/.claude）中保存对话记录。",
  checkpointing: {
    engineWithoutSdk:
      'snapshots.engine 为 "sdk"，只有宿主 claude 才有；这里使用 Worldline 自己的快照。' +
      "不想再看到此提示：worldline config set snapshots.engine worldline",
    engineAndVariable: (variable) =>
      `snapshots.engine 为 "sdk"，但 ${variable} 要求 Claude Agent SDK 不保存文件检查点；以设置为准，它会保存。` +
      `请取消 ${variable}，或：worldline config set snapshots.engine worldline`,
    engineAndSetting:
      'snapshots.engine 为 "sdk"，但 enableFileCheckpointing 为 false；Worldline 不捕获文件，回退文件时只有 Claude Agent SDK ' +
      "的检查点可用。两者都要：worldline config set enableFileCheckpointing true",
    variableAndSetting: (variable) =>
      `${variable} 已开启，但 enableFileCheckpointing 为 false；Claude Agent SDK 会保存它的检查点，Worldline 不捕获文件，` +
      "回退文件会得到“Checkpoint feature not enabled”。用 Worldline 回退：worldline config set enableFileCheckpointing true；" +
      "用 SDK 的检查点回退：worldline config set snapshots.engine sdk",
    bothVariables: (enable, disable) =>
      `${enable} 和 ${disable} 同时开启；以后者为准，Claude Agent SDK 不保存自己的文件检查点。请取消其中一个。`,
    notUnderstood: (variable, value) =>
      `${variable} 为“${value}”，既不是开也不是关，已忽略。请设为 1 或 0，或取消它。`,
  },
  sdkReady: (version, folder) => `Claude Agent SDK ${version} 位于 ${folder}`,
  sdkUnknown: (version, folder) => `Claude Agent SDK ${version} 位于 ${folder}；Worldline 不了解这个版本。`,
  claudeAnswers: "宿主为 claude：它使用 Claude Code 的登录或 ANTHROPIC_API_KEY，不需要提供方的密钥。",
  keepAnyway: "仍要为它保存密钥：worldline setup anthropic",
};
