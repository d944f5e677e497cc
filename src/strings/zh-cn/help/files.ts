import type { Strings } from "../../strings.ts";

type Help = Strings["help"];

export const diff: Help["diff"] = {
  summary: "显示检查点之间有哪些文件不同",
  description:
    "显示两个检查点之间，或某个检查点与现在之间，有哪些文件不同，无论由谁改动。会先捕获当前的文件。不需要 git。",
  arguments: {
    a: "检查点：编号、session:number，或标签",
    b: "要比较的检查点（默认：当前的文件）",
  },
  options: {
    stat: "列出文件及增加和删除的行数（默认）",
    patch: "输出统一格式（unified）的差异",
  },
  examples: {
    "worldline diff 12": "显示自检查点 12 以来的改动",
    "worldline diff 12 15 --patch": "逐行比较两个检查点",
    "worldline diff 12 --patch | patch -p1 -R": "用其他工具撤销这些改动",
  },
};

export const show: Help["show"] = {
  summary: "输出文件在某个检查点时的内容",
  description:
    "把文件在某个检查点时的内容逐字节写到标准输出。使用 --json 时，UTF-8 内容以文本输出，其他内容以 base64 输出。对于符号链接，输出的是它的目标。",
  arguments: { file: "<cp>:<path>，其中 <cp> 是编号、session:number，或标签" },
  examples: {
    "worldline show 12:src/main.ts": "输出该文件在检查点 12 时的内容",
    'worldline show "tests pass:logo.png" > logo.png': "使用标签，并写入文件",
    "worldline show k3f9:3:notes.md --json": "以 JSON 输出另一个会话的文件",
  },
};

export const exportFiles: Help["exportFiles"] = {
  summary: "把检查点的文件写到新文件夹",
  description:
    "把检查点的文件连同权限和链接写到新文件夹或空文件夹。不会覆盖任何内容，也不会改动工作区。默认不包括被忽略的文件，例如 .env。",
  arguments: {
    cp: "检查点：编号、session:number，或标签",
    folder: "尚不存在的文件夹，或空文件夹",
  },
  options: {
    includeIgnored: "包括被忽略的文件，其中可能有机密",
    dryRun: "只显示会写入什么，不写入任何内容",
  },
  examples: {
    "worldline export-files 12 ../before": "把检查点 12 写到工作区旁边",
    "worldline export-files 12 /tmp/all --include-ignored": "包括 .env 等被忽略的文件",
  },
};

export const why: Help["why"] = {
  summary: "显示路径是否被捕获，以及由谁改动",
  description:
    "显示路径是否被捕获（如果没有，说明原因），以及它在哪些检查点被改动：由会话改动、从外部改动，还是因恢复而改动。也会显示哪些内容永远不会被捕获。",
  arguments: { path: "文件或文件夹，相对于当前文件夹" },
  examples: {
    "worldline why .env": "查看被 git 忽略的文件是否被捕获",
    "worldline why src/main.ts": "显示谁在何时改动了文件",
  },
};

export const watch: Help["watch"] = {
  summary: "文件一有变化就自动创建检查点",
  description:
    "工作区的文件改动之后，如果在 watch.quietMs 内不再变化，就创建检查点；如果持续变化，至少每隔 watch.maxMs 创建一次。适用于任何编辑器或智能体：要回去，请在另一个终端运行 `worldline rewind`。检查点属于工作区自己的会话。按 Ctrl-C 会再检查一次改动，然后退出。使用 --json 时，每个检查点是一行。",
  examples: {
    "worldline watch": "保留此工作区的每个状态，直到按下 Ctrl-C",
    "worldline watch --setting watch.quietMs=500": "改动之后只等待半秒",
    "worldline watch --json | jq .number": "输出每个新检查点的编号",
  },
};

export const run: Help["run"] = {
  summary: "运行命令，并可撤销它所做的改动",
  description:
    "在你的终端中运行命令，前后各创建一个工作区文件的检查点，运行期间也会像 `worldline watch` 一样创建检查点。结束后显示有哪些改动，并询问是保留、查看还是退回。没有终端时，输出用于退回的命令。退出码就是该命令的退出码；如果无法启动，则为 126 或 127。",
  arguments: { command: "命令及其参数，写在 -- 之后" },
  options: { strict: "必须先捕获全部文件，否则不启动命令" },
  examples: {
    "worldline run -- npm audit fix --force": "看看它改动了什么，不满意就退回",
    "worldline run -- claude": "运行任何智能体，并留有退路",
    "worldline run --strict -- sh -c 'rm -rf build && make'": "只有一切都可撤销时才运行",
    "worldline run --json -- make > run.json": "在命令自己的输出之后，以 JSON 输出改动",
  },
};

export const find: Help["find"] = {
  summary: "找出让测试失败的改动，并只撤销它",
  description:
    "找出是哪个改动让原本通过的测试失败：在哪两个检查点之间、由谁改动、是哪些行。测试在先前状态的临时副本中运行，涵盖此工作区的所有会话；不使用 --undo 时，工作区本身不会改变。不需要模型，也不需要 git。测试以退出码 0 表示通过，其他表示失败，但 125 表示该状态无法测试。找到改动时，此命令的退出码为 0；无法判断时为 1。",
  arguments: { command: "测试命令及其参数，写在 -- 之后" },
  options: {
    runs: "每个状态运行这么多次，用于不稳定的测试（默认：1）",
    since: "忽略此检查点之前的状态：编号、session:number，或标签",
    undo: "只撤销找到的改动，保留其他一切；`worldline redo` 可以找回",
    timeout: "运行超过这么多秒就停止，并跳过该状态（默认：600）",
    sample: "检验查找器本身：用十种已知方式弄坏一个示例项目，并核对它的答案",
    way: "与 --sample 一起：只用这种方式弄坏（可重复使用）",
    keep: "与 --sample 一起：在此文件夹中创建示例，并保留它",
  },
  examples: {
    "worldline find -- npm test": "找出让测试失败的改动",
    "worldline find --undo -- node test.mjs": "找出改动，并只撤销它",
    "worldline find --runs 5 -- pytest -q tests/test_pool.py": "对不稳定的测试，每个状态运行五次",
    "worldline find --since 12 -- sh -c 'make && ./check'": "使用 shell，并从检查点 12 开始",
    "worldline find --sample": "用十个已知的改动核对查找器的答案",
  },
};

export const prove: Help["prove"] = {
  summary: "在副本上证明被破坏的文件可以复原",
  description:
    "把文件夹或内置示例复制到临时位置，用真实的 shell 以约四十种方式破坏副本，逐一回退并重做，还会在恢复途中用 SIGKILL 终止其中一些。每一步之后，都由与快照没有共用代码的单独检查比较每个路径（类型、权限、SHA-256、链接目标）。对文件夹本身只做读取。如有任何差异，退出码为 1。",
  arguments: { folder: "要复制的文件夹（默认：内置示例）" },
  options: {
    kills: "要终止的恢复次数（默认：12）",
    seed: "决定破坏什么、何时终止恢复的种子（默认：1）",
    limit: "拒绝超过这么多 GiB 的文件夹，或每 GiB 超过 100,000 个文件的文件夹（默认：2）",
    damage: "只做这种破坏，名称同 --json 的输出（可重复使用）",
    keep: "保留临时文件夹",
  },
  examples: {
    "worldline prove": "使用内置示例，其中各种内容都有一点",
    "worldline prove .": "使用你自己文件的副本",
    "worldline prove . --seed 7 --kills 100": "破坏其他文件，并终止更多恢复",
    "worldline prove . --damage removedFolder": "只尝试一种破坏",
    "worldline prove --json | jq '.off'": "输出有多少项检查未通过",
  },
};
