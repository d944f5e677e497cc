import type { Strings } from "../../strings.ts";

type Help = Strings["help"];

/** What happens to files that were changed outside the session. */
const choices = {
  keep: "在会话之外或命令运行期间改动过的文件保持不变（智能体会话的默认方式）",
  take: "覆盖在会话之外改动过的文件（工作区自己的会话的默认方式）",
  merge: "逐行合并会话之外的改动；无法合并的文件保持不变",
};

/** Shared by all commands that rewind. */
export const rewindOptions = {
  scope: "回退什么（默认：智能体会话为 both；工作区自己的会话以及使用 --only 时为 files）",
  only: "只恢复该文件或文件夹（可重复使用）",
  dryRun: "只显示会发生什么，不做任何改动",
  yes: "不询问确认，即使要删除的路径多于 rewind.confirmDeletes",
  ...choices,
};

export const checkpoint: Help["checkpoint"] = {
  summary: "创建检查点",
  description:
    "在会话的当前位置创建检查点，并捕获工作区的文件。如果工作区还没有会话，会先开始一个工作区自己的会话。无法捕获的文件会列出；如果一个文件都无法捕获，退出码为 1。",
  arguments: { label: "检查点的标签；不能只有数字" },
  examples: {
    "worldline checkpoint": "创建检查点，并输出它的编号",
    'worldline checkpoint "before refactoring"': "创建带标签的检查点",
  },
};

export const checkpoints: Help["checkpoints"] = {
  summary: "列出检查点，最新的在前",
  description:
    "列出会话所有分支上的检查点，最新的在前，并显示其文件的状态：已捕获、部分（有些无法读取）、等待中、无，或仅对话（文件不再保存）。",
  options: {
    all: "列出此工作区所有会话的检查点",
    steps: "包括每次调用模型之前的检查点",
  },
  examples: {
    "worldline checkpoints": "列出上一个会话的检查点",
    "worldline checkpoints --all --steps": "列出此工作区所有会话的检查点，包括步骤",
    "worldline checkpoints --json | jq '.checkpoints[0].number'": "输出最新检查点的编号",
  },
};

export const label: Help["label"] = {
  summary: "添加、更改或去掉检查点的标签",
  description: "给检查点加标签。其他命令可以用标签代替编号。空标签会去掉原有标签。",
  arguments: {
    cp: "检查点：编号、session:number，或它现在的标签",
    text: '新标签，不能只有数字；"" 表示去掉标签',
  },
  examples: {
    'worldline label 12 "tests pass"': "给检查点 12 加标签",
    'worldline label "tests pass" ""': "去掉标签",
  },
};

export const rewind: Help["rewind"] = {
  summary: "回退到检查点；什么都不会丢失",
  description:
    "回退到检查点：文件、对话，或两者一起。当前状态会先被捕获，`worldline redo` 可以返回。任何检查点都可以，包括压缩之前的和其他分支上的。在智能体会话中，会话之外改动过的文件默认保留，除非你另有选择。",
  arguments: { cp: "检查点：编号、session:number，或标签（默认：从列表中选择）" },
  options: rewindOptions,
  examples: {
    "worldline rewind 12 --dry-run": "逐个文件预览会有什么改动",
    'worldline rewind "tests pass"': "回退到某个标签",
    "worldline rewind 12 --only src/main.ts": "只恢复一个文件",
    "worldline rewind 12 --scope conversation": "只回退对话，不动文件",
    "worldline rewind": "从列表中选择检查点",
  },
};

export const redo: Help["redo"] = {
  summary: "撤销一次回退或回溯",
  description:
    "返回到上一次回退之前的位置，它改动的文件也一并返回。在那之后如果有了新的工作，就只能用 id 指定要撤销的回退或回溯，并且会先显示将离开什么。在智能体会话中，会话之外改动过的文件默认保留，除非你另有选择。",
  arguments: { journey: "回退或回溯的 id，或 id 的开头（见 --list）" },
  options: {
    list: "列出所有可以返回的位置，最新的在前",
    scope: "重做什么（默认：那次回退或回溯所涉及的范围）",
    dryRun: "只显示会发生什么，不做任何改动",
    yes: "不询问确认，即使会离开较新的工作或删除许多路径",
    ...choices,
  },
  examples: {
    "worldline redo": "重做上一次回退掉的内容",
    "worldline redo --list": "列出所有可以返回的位置",
    "worldline redo k3f9 --dry-run": "预览撤销那次回退或回溯的结果",
  },
};

export const fork: Help["fork"] = {
  summary: "从会话中的某处开始一个新会话",
  description:
    "用当前分支的副本开始一个新会话，可以是整个分支，也可以只到某个检查点。原会话保持不变。工作区的文件也不变，除非用 --files restore 把它们恢复到该检查点；--into 则把该检查点的文件（包括被忽略的文件）放进一个新文件夹，作为分叉自己的工作区。如果会话来自另一台机器，或它的文件夹已不存在，请使用 --here。",
  arguments: { session: "要分叉的会话（默认：--session，否则为这里最近使用的会话）" },
  options: {
    at: "在此检查点分叉：编号、session:number，或标签（默认：头部）",
    files: "保持工作区的文件不变，或恢复到 --at 的检查点（默认：keep）",
    into: "作为分叉工作区的新文件夹或空文件夹，其中放入该检查点的文件",
    here: "让分叉在当前文件夹（或 --workspace）中工作，不改动其中的文件",
    yes: "不询问确认，即使要删除的路径多于 rewind.confirmDeletes",
    ...choices,
  },
  examples: {
    "worldline fork": "在第二个会话中从这里继续",
    "worldline fork --at 12": "从检查点 12 继续",
    "worldline fork --at 12 --files restore": "同时把文件恢复到检查点 12",
    "worldline fork --at 12 --into ../attempt": "在单独的文件夹中工作",
    "worldline fork k3f9 --at 3": "从另一个会话的检查点 3 继续",
    "worldline fork k3f9 --here": "在此文件夹中继续某个会话的副本",
  },
};

export const compact: Help["compact"] = {
  summary: "为对话中较早的部分写摘要",
  description:
    "在模型看到的内容中，用摘要代替对话较早的部分。你的提示（有长度上限）、最近的往来（compaction.keep）、待办和改动文件的列表会保留。日志保留全部内容，回退到压缩之前即可找回。如果三次尝试都得不到可用的摘要，上下文不变，命令以失败结束。宿主为 claude 时，由 Claude Agent SDK 以自己的方式压缩。",
  arguments: { focus: "摘要应当详细保留的内容" },
  options: {
    model: "写摘要的模型（默认：compaction.model，否则为主模型）",
    dryRun: "只显示哪些会写成摘要、哪些会保留，不调用模型",
  },
  examples: {
    "worldline compact": "压缩上一个会话",
    "worldline compact the failing tests": "详细保留某个主题",
    "worldline compact --model anthropic/claude-haiku-4-5": "用另一个模型写摘要",
    "worldline compact --dry-run": "显示哪些会写成摘要",
  },
};
