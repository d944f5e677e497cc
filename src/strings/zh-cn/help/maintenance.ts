import type { Strings } from "../../strings.ts";

type Help = Strings["help"];

export const config: Help["config"] = {
  summary: "显示和更改设置",
  description:
    "显示每项设置在这里生效的值。以下各项，后面的覆盖前面的：默认值、~/.worldline/settings.json、工作区的 .worldline/settings.json 和 .worldline/settings.local.json、环境变量、--setting。",
  options: {
    explain: "还显示每个值的来源、它覆盖了什么，以及受信任之前会忽略什么",
  },
  examples: {
    "worldline config": "显示所有设置",
    "worldline config --explain": "还显示每个值的来源",
    "worldline config get lock.waitMs": "输出一个值，供脚本使用",
    "worldline config set trash.days 90": "更改你自己的设置",
    "worldline config trust": "信任这个工作区的设置",
  },
};

export const configGet: Help["configGet"] = {
  summary: "输出一项设置的值",
  description: "输出一项设置在这里生效的值，不输出其他内容。",
  arguments: { key: "设置的名称，例如 lock.waitMs" },
  examples: {
    "worldline config get lock.waitMs": "输出该值",
    "worldline config get trash.days --json": '输出 {"key": ..., "value": ...}',
  },
};

export const configSet: Help["configSet"] = {
  summary: "在设置文件中更改一项设置",
  description: "把一项设置写入设置文件，并保留文件中的注释。无效的值会被拒绝。",
  arguments: { key: "设置的名称，例如 lock.waitMs", value: "新值" },
  options: {
    where: "user：你在任何地方；workspace：在这里工作的所有人；local：你在这个工作区（默认：user）",
  },
  examples: {
    "worldline config set trash.days 90": "写入 ~/.worldline/settings.json",
    "worldline config set checkpointKeepCount 50 --where workspace":
      "写入 .worldline/settings.json，与在这里工作的所有人共享",
  },
};

export const configTrust: Help["configTrust"] = {
  summary: "信任这个工作区现在的设置",
  description:
    "信任此文件夹的设置文件、.mcp.json 和 .claude 现在的内容。在此之前，它的设置只能让 Worldline 更谨慎，.mcp.json 中的服务器不会启动，宿主 claude 也不会读取 CLAUDE.md 和 .claude。这些文件一旦改变，信任即告失效。",
  examples: {
    "worldline config --explain": "先看看受信任之前会忽略什么",
    "worldline config trust": "然后信任它",
  },
};

export const configUntrust: Help["configUntrust"] = {
  summary: "不再信任这个工作区的设置",
  description: "不再信任这个工作区的设置。从现在起，它们只能让 Worldline 更谨慎。",
  examples: {
    "worldline config untrust": "不再信任当前文件夹所在的工作区",
  },
};

export const doctor: Help["doctor"] = {
  summary: "检查问题；--fix 会修复能修复的问题",
  description:
    "检查主目录、设置、回收站、每个会话（或 --session 指定的会话）的每一行和每段长文本，以及每个快照的结构（`worldline store verify` 还会读取内容）。不使用 --fix 时不做任何改动。如果仍有错误，退出码为 1。",
  options: {
    fix: "修复能修复的问题：权限、锁、崩溃留下的残缺行和未完成的恢复，以及回收站中过期的会话",
  },
  examples: {
    "worldline doctor": "检查，不做任何改动",
    "worldline doctor --fix": "修复能修复的问题，并报告结果",
    "worldline doctor --session k3f9 --json": "检查一个会话，并输出 JSON",
  },
};

export const store: Help["store"] = {
  summary: "统计、检验和清理快照存储",
  description: "维护快照存储，其中保存着所有工作区所有检查点的文件。",
  examples: {
    "worldline store du": "显示占用了多少空间",
    "worldline store verify": "检查全部内容是否损坏",
    "worldline store gc --dry-run": "显示可以移除什么",
  },
};

export const storeDu: Help["storeDu"] = {
  summary: "显示检查点的文件占用了多少空间",
  description:
    "显示所有检查点的文件占用了多少空间。其中大部分是共用的，因此每个工作区和会话列出的是仅由它使用的部分，也就是只移除它一个时会释放的空间。",
  examples: {
    "worldline store du": "显示每个工作区和会话占用的空间",
    "worldline store du --json": "输出 JSON",
  },
};

export const storeVerify: Help["storeVerify"] = {
  summary: "读取整个快照存储，检查是否损坏",
  description:
    "读取存储中的一切，与写入时的内容比较，并把每个快照遍历到最后一个文件。不做任何改动。如有损坏，列出哪些检查点的哪些路径无法恢复，此时退出码为 1。用 `worldline forget` 移除的内容会列出，但不算损坏。",
  examples: {
    "worldline store verify": "检查，不做任何改动",
    "worldline store verify --json": "输出 JSON",
  },
};

export const storeGc: Help["storeGc"] = {
  summary: "移除无用的数据，超出上限时也移除旧文件",
  description:
    "移除检查点、回退和重做都不需要的内容。如果存储超过 snapshots.maxBytes，还会移除旧检查点的文件，从最旧的开始；其对话会保留。每个会话始终保留：最新的 checkpointKeepCount（10）个检查点、每个带标签的检查点，以及最近 10 次回退和重做离开的内容。会先显示要移除什么，并询问。已损坏快照的剩余部分会保留，除非使用 --release-damaged。",
  options: {
    dryRun: "只显示会移除什么，不移除",
    releaseDamaged: "还移除无法完整读取的检查点的文件",
    yes: "不询问确认",
  },
  examples: {
    "worldline store gc --dry-run": "显示会移除什么",
    "worldline store gc --yes": "不询问确认就清理",
    "worldline store gc --setting snapshots.maxBytes=1000000000": "尽可能把存储缩小到 1 GB",
  },
};

export const forget: Help["forget"] = {
  summary: "从所有会话中彻底移除机密",
  description:
    "在所有会话（包括其他分支和回收站）中用 [forgotten] 代替泄露的机密，并从所有快照中抹去含有它的文件的每个版本。只有这个命令会改变已写入的内容，而且无法撤销。文本必须完全一致。使用 --path 时，移除工具从该文件或文件夹读取和向其写入的内容，以及它们在快照中的内容。Claude Agent SDK 自己保存的文件会列出，但不会改动。",
  arguments: {
    text: "要移除的文本；- 表示从管道读取，这样它不会留在 shell 的历史记录中",
  },
  options: {
    text: "要移除的文本，即使它看起来像文件名",
    path: "要移除的文件或文件夹",
    dryRun: "只显示它出现在哪里，不做任何改动",
    yes: "不询问确认",
  },
  examples: {
    "worldline forget --path .env --dry-run": "列出有工具读取或写入过它的会话",
    'worldline forget "hunter2, my password"': "确认之后移除一段文本",
    'read -rs S; printf %s "$S" | worldline forget - --yes': "输入机密而不显示它",
  },
};
