import type { Strings } from "../../strings.ts";
import { rewindOptions } from "./timeline.ts";

type Help = Strings["help"];

export const sessions: Help["sessions"] = {
  summary: "列出和管理会话",
  description: "列出此工作区的会话；下面的命令用于处理会话。可以用 id、id 的开头或标题指定会话。",
  examples: {
    "worldline sessions": "列出此工作区的会话",
    "worldline sessions list --all": "列出所有工作区的会话",
    'worldline sessions search "connection pool"': "查找在哪里提到过某事",
    "worldline sessions export k3f9 -o leak.md": "写一份可读的对话记录",
  },
};

export const sessionsList: Help["sessionsList"] = {
  summary: "列出会话，最近使用的在前",
  description:
    "列出此工作区的会话，最近使用的在前：id、最近使用时间、消息数、检查点数，以及标题或第一条提示的开头。已损坏和无法打开的会话会标出。",
  options: {
    all: "列出所有工作区的会话",
    subAgents: "包括子智能体的会话，它们属于启动它们的会话",
  },
  examples: {
    "worldline sessions list": "列出此工作区的会话",
    "worldline sessions list --all": "列出所有工作区的会话",
    "worldline sessions list --json | jq -r '.sessions[0].id'": "输出最近使用的会话的 id",
  },
};

export const sessionsShow: Help["sessionsShow"] = {
  summary: "显示会话的详细信息",
  description:
    "显示会话的详细信息：大小、头部、被哪个程序打开、未完成的工具调用，以及损坏之处的文件和行号。会读取整个会话，不做任何改动。",
  arguments: { session: "要显示的会话（默认：--session，否则为这里最近使用的会话）" },
  examples: {
    "worldline sessions show": "显示这里最近使用的会话",
    "worldline sessions show k3f9": "显示 id 以 k3f9 开头的会话",
    "worldline sessions show --json | jq .damage": "输出无法读取的内容",
  },
};

export const sessionsSearch: Help["sessionsSearch"] = {
  summary: "在会话的所有分支中搜索全部文本",
  description:
    "在此工作区会话的所有分支中搜索全部文本：提示、回复、工具调用及其结果、留言、摘要、标题和标签。不区分大小写。",
  arguments: { text: "要搜索的文本" },
  options: {
    all: "搜索所有工作区的会话",
    limit: "最多显示的条目数；0 表示全部（默认：50）",
  },
  examples: {
    'worldline sessions search "connection pool"': "在此工作区中搜索",
    "worldline sessions search ECONNRESET --all --limit 0": "在所有工作区中搜索，并显示全部结果",
    "worldline sessions search leak --session k3f9": "在一个会话中搜索",
  },
};

export const sessionsRename: Help["sessionsRename"] = {
  summary: "更改会话的标题",
  description: "给会话一个新标题。以前的标题保留在日志中。",
  arguments: { session: "会话的 id、id 的开头或现在的标题", title: "新标题" },
  examples: {
    'worldline sessions rename k3f9 "The leak in the pool"': "设置会话的标题",
    'worldline sessions rename "find the leak" "The leak"': "用现在的标题指定会话",
  },
};

export const sessionsConfirm: Help["sessionsConfirm"] = {
  summary: "允许继续使用来自别处的会话",
  description:
    "确认不是由此 Worldline 主目录写入的会话：导入的会话，或共享存储中另一台机器的会话。确认之前只能读取、导出和删除。确认之后，无论它声称属于哪个文件夹，都在当前文件夹（或 --workspace）中工作，并使用本机的系统提示。其中授予的权限不算数，会重新询问你。不会向会话写入任何内容。",
  arguments: { session: "会话的 id、id 的开头或标题" },
  options: { yes: "不询问确认" },
  examples: {
    "worldline sessions confirm k3f9": "让它在此文件夹中继续",
    "worldline sessions confirm k3f9 --workspace ~/work/shop --yes": "使用另一个文件夹，并且不询问",
  },
};

export const sessionsDelete: Help["sessionsDelete"] = {
  summary: "把会话移到回收站，或清空回收站",
  description:
    "把会话移到回收站，在 trash.days（30）天内可以找回。在回收站中超过这个期限的会话随后会被彻底移除，并列出。被其他程序打开的会话不会删除。Claude Agent SDK 自己保存的文件不会移除。",
  arguments: { sessions: "会话的 id、id 的开头或标题" },
  options: {
    emptyTrash: "立即彻底移除回收站中的一切",
    dryRun: "只显示会发生什么，不做任何改动",
    yes: "不询问确认（只有 --empty-trash 会询问）",
  },
  examples: {
    "worldline sessions delete k3f9": "把会话移到回收站；可用 `worldline sessions undelete k3f9` 找回",
    "worldline sessions delete k3f9 b7qa --dry-run": "显示会删除什么",
    "worldline sessions delete --empty-trash --yes": "清空回收站；无法撤销",
  },
};

export const sessionsUndelete: Help["sessionsUndelete"] = {
  summary: "从回收站找回会话，或列出其中的会话",
  description: "从回收站找回会话，与删除时完全相同。",
  arguments: { sessions: "会话的 id 或 id 的开头（见 --list）" },
  options: { list: "列出回收站中的会话，以及保留到何时" },
  examples: {
    "worldline sessions undelete --list": "列出可以找回的会话",
    "worldline sessions undelete k3f9": "找回 id 以 k3f9 开头的会话",
  },
};

export const sessionsExport: Help["sessionsExport"] = {
  summary: "把会话导出为 Markdown、JSON 或会话包",
  description:
    "把会话写到标准输出或文件：Markdown 供阅读，JSON 供程序使用，会话包则是用于备份或另一台机器的完整副本。文件要么完整写入，要么完全不写。会话包含有检查点的文件，但被忽略的文件（例如 .env）默认只有名称和哈希。任何导出都可能包含会话中的机密，分享之前请先检查。",
  arguments: { session: "要导出的会话（默认：--session，否则为这里最近使用的会话）" },
  options: {
    format: "输出格式（默认：按文件名的结尾 .md、.json 或 .bundle 判断，否则为 markdown）",
    output: "要写入的文件；- 表示标准输出（默认：-）",
    all: "Markdown：包括其他分支（JSON 和会话包始终包括）",
    includeIgnored: "会话包：包括被忽略文件的内容，其中可能有机密",
    noFiles: "会话包：不包括检查点的文件",
    force: "覆盖已有的文件",
  },
  examples: {
    "worldline sessions export | less": "以 Markdown 阅读这里最近使用的会话",
    "worldline sessions export k3f9 -o leak.bundle": "为另一台机器写一份完整副本",
    "worldline sessions export k3f9 --format bundle | ssh host worldline sessions import -":
      "一步就把会话复制到另一台机器",
  },
};

export const sessionsImport: Help["sessionsImport"] = {
  summary: "导入会话包或 kimi-cli 的会话",
  description:
    "导入由 `sessions export` 生成的会话包，或 kimi-cli 的会话及其先前的文件。写入任何内容之前会检查一切，对来源只做读取。会话包中的文件会放进快照存储，不会改动任何工作区。--workspace 指定会话在哪个文件夹中工作（默认：它原来的文件夹）。",
  arguments: {
    path: "会话包、kimi-cli 会话的文件夹，或其中的 context.jsonl；- 表示标准输入",
  },
  options: {
    from: "来源的格式（默认：根据内容判断）",
    list: "列出本机上 kimi-cli 的会话",
  },
  examples: {
    "worldline sessions import leak.bundle": "导入另一台机器的会话",
    "worldline sessions import leak.bundle --workspace .": "在此文件夹中继续该会话",
    "worldline sessions import --list": "列出本机上 kimi-cli 的会话",
    "worldline sessions import ~/.kimi/sessions/5a3c/0b1d": "导入其中一个，包括它的所有分支",
  },
};

export const executions: Help["executions"] = {
  summary: "管理程序和轮次记录的步骤",
  description:
    "列出此工作区的执行，最新的在前：记录自身步骤的程序（openExecution），以及智能体的轮次。执行用 id 指定（`show` 只需 id 的开头），步骤用它的检查点指定，例如 ckpt-exec-123-2。",
  options: {
    all: "列出所有工作区的执行",
    kind: "只列出程序，或只列出智能体的轮次",
    limit: "最多列出的数量（默认：20）",
  },
  examples: {
    "worldline executions": "列出此工作区的执行",
    "worldline executions --kind program --all": "列出所有工作区的程序",
    "worldline executions show exec-123": "显示一次执行的步骤、尝试和错误",
    "worldline executions restore exec-123 --step data_processing --dry-run": "预览回到某个步骤的结果",
  },
};

export const executionsShow: Help["executionsShow"] = {
  summary: "显示执行的步骤，或某个步骤的全部内容",
  description:
    '显示执行的步骤：序号、名称、尝试次数、状态、时间和错误。对于检查点，显示该步骤保存的全部内容：状态值、上下文、变量、元数据和输出。使用 --json 时，JSON 没有的值写成只有一个键的对象，例如 {"$date": "..."}、{"$map": [[key, value]]} 或 {"$bytes": base64}；docs/guide/executions.md 列出了全部写法。不做任何改动。',
  arguments: {
    id: "执行的 id 或其开头，或检查点，例如 ckpt-exec-123-2 或 ckpt-exec-123-2@1",
  },
  examples: {
    "worldline executions show exec-123": "显示它的步骤",
    "worldline executions show ckpt-exec-123-2": "显示步骤 2 的最近一次尝试保存的全部内容",
    "worldline executions show exec-123 --json": "以 JSON 输出全部内容",
  },
};

export const executionsRestore: Help["executionsRestore"] = {
  summary: "把执行及其文件恢复到某个步骤",
  description:
    "把执行恢复到某个步骤，工作区中捕获过的文件也一并恢复。程序的步骤恢复到它结束时；智能体的步骤或整个轮次恢复到它开始时。对于程序，此后对文件的所有改动都会撤销，包括你的改动，因为无法区分它们；对于轮次，外部改动的处理方式与 `worldline rewind` 相同。`worldline redo --session` 可以全部找回。程序下次启动时会读取恢复后的状态。",
  arguments: { id: "执行的完整 id，或其检查点，例如 ckpt-exec-123-2" },
  options: {
    step: "要回到的步骤（默认：最后一个成功的步骤；轮次则为它的开头）",
    ...rewindOptions,
  },
  examples: {
    "worldline executions restore exec-123 --dry-run": "预览会有什么改动",
    "worldline executions restore exec-123 --step data_processing": "回到该步骤结束时",
    "worldline executions restore ckpt-exec-123-2 --yes": "不询问确认就回去",
  },
};

export const executionsDelete: Help["executionsDelete"] = {
  summary: "把程序的执行移到回收站",
  description:
    "把程序的执行及其所有步骤移到回收站，保留 trash.days（30）天。如果程序以同一 id 再次启动，会从头开始。使用 --checkpoint 时，彻底删除单个检查点及其中的值：它不再列出，也无法恢复，其步骤不会自动重新运行。被程序打开的执行不会删除。文件不变。",
  arguments: { id: "执行的完整 id" },
  options: {
    checkpoint: "只删除此检查点，例如 ckpt-exec-123-2 或 ckpt-exec-123-2@1",
    dryRun: "只显示会发生什么，不做任何改动",
    yes: "不询问确认",
  },
  examples: {
    "worldline executions delete exec-123": "确认之后删除",
    "worldline executions delete exec-123 --yes": "在脚本中删除",
    "worldline executions delete exec-123 --checkpoint ckpt-exec-123-2": "只删除步骤 2 的最近一次尝试",
  },
};

export const log: Help["log"] = {
  summary: "显示会话的条目",
  description: "按写入顺序显示会话所有分支的条目。无法读取的行会标出。",
  options: {
    branch: "只显示当前分支",
    kind: "只显示此类条目",
    limit: "只显示最后 n 个条目；0 表示全部（默认：50，使用 --json 时为全部）",
    full: "显示每个条目的全文，而不只是开头",
  },
  examples: {
    "worldline log": "显示最后 50 个条目",
    "worldline log --branch --kind prompt --limit 0 --full": "显示当前分支所有提示的全文",
    "worldline log --json | jq '.entries[].kind'": "输出每个条目的种类",
  },
};

export const tree: Help["tree"] = {
  summary: "画出会话及其所有分支",
  description:
    "把会话画成树，当前分支在左侧，其他分支在旁边。显示提示、手动检查点和带标签的检查点、回退和回溯及其离开的位置，以及压缩。要回到带编号的行，请用 `worldline rewind <number>`；要返回其他分支的末端，请用那里显示的 `worldline redo` 命令。",
  options: { all: "画出每个条目" },
  examples: {
    "worldline tree": "画出这里最近使用的会话",
    "worldline tree --all --session k3f9": "画出另一个会话的每个条目",
  },
};

export const context: Help["context"] = {
  summary: "显示模型看到的确切内容",
  description:
    "显示模型现在或在某个检查点看到的确切内容，包括标记和留言；如果知道上下文窗口的大小（设置 context.window），还会显示占用了多少。",
  options: { at: "显示此检查点：编号、session:number，或标签（默认：头部）" },
  examples: {
    "worldline context": "显示模型现在看到的内容",
    "worldline context --at 12": "显示它在检查点 12 看到的内容",
    "worldline context --json | jq '.messages | length'": "用 Worldline 自己的 JSON 格式统计消息数",
  },
};

export const stats: Help["stats"] = {
  summary: "显示 token、费用、缓存使用和回溯",
  description:
    "显示会话在所有分支上做了什么、用了多少：提示、模型调用、工具调用、token、缓存使用、费用、回溯及其节省、压缩。token 以提供方的计数为准；价格来自内置的表和设置 models，缺少价格时会说明。失败的调用不计入。分叉复制的内容计入原会话；子智能体计入启动它的会话。",
  options: { all: "合计所有工作区的所有会话" },
  examples: {
    "worldline stats": "显示这里最近使用的会话",
    "worldline stats --session k3f9": "显示 id 以 k3f9 开头的会话",
    "worldline stats --all": "合计所有会话",
    "worldline stats --json | jq .cost": "以数字输出费用（美元）",
  },
};

export const story: Help["story"] = {
  summary: "按脚本演示一遍，并核对各项承诺",
  description:
    "在临时文件夹中的真实时间线上按脚本演示：一条死路和一次回溯、一次压缩、一次回退、一次重做、一次分叉、一个被终止的进程和一行残缺的日志。然后画出树，并对照文件核对每项承诺；如有一项不成立，退出码为 1。不调用模型，也不动你的任何文件。",
  examples: {
    "worldline story": "演示一遍",
    "worldline story --json | jq '.claims[] | select(.holds | not)'": "输出不成立的承诺",
  },
};
