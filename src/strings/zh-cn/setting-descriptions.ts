import type { Strings } from "../strings.ts";

export const settingDescriptions: Strings["settingDescriptions"] = {
  enableFileCheckpointing:
    "检查点是否包括工作区的文件。如果不包括，检查点只标记对话中的位置，既不捕获也不恢复文件。",
  checkpointKeepCount:
    "会话中最新的多少个检查点始终保留其文件，并列在 metadata.json 中；日志保留所有检查点。",
  "snapshots.maxFileBytes": "大于此值的文件不会被捕获，并报告为未覆盖。",
  "snapshots.maxBytes": "快照存储的大小上限；超过时会移除旧检查点的文件，与 `worldline store gc` 相同。",
  "rewind.confirmDeletes": "回退或重做要删除的路径多于此值时，会再次询问。",
  "watch.quietMs": "文件保持不变多久之后，`worldline watch` 和 `worldline run` 才创建检查点，以毫秒为单位。",
  "watch.maxMs":
    "文件持续变化时，`worldline watch` 和 `worldline run` 每隔多久创建一个检查点，以毫秒为单位。",
  "lock.waitMs": "命令等待正在写入该会话的其他程序的最长时间，以毫秒为单位。",
  "lock.leaseMs": "使用数据库时：另一台机器上的程序停止响应后，会话仍被它锁定多久，以毫秒为单位。",
  "log.rotateBytes": "会话日志达到此大小后，在新文件中继续。",
  "log.blobBytes": "比此值更长的文本保存在日志旁的单独文件中。",
  "trash.days": "已删除的会话在多少天内可以找回。",
  "context.window": "模型上下文窗口的 token 数，需要与模型自身的不同时设置；0 表示使用模型自身的。",
  model: "智能体使用的模型，写作 provider/name；留空时根据环境变量中的 API 密钥选择。",
  models:
    "内置表之外的模型信息，以 provider/name 为名：window 和 maxOutput 以 token 为单位；input、output、cacheRead 和 cacheWrite 为每百万 token 的美元价格。",
  providers: "内置之外的提供方，以名称为键：kind、baseUrl、keyVariable（存放 API 密钥的环境变量）和 model。",
  "permissions.mode": "智能体不经询问可以做什么：plan、manual、accept-edits 或 auto。",
  "permissions.allow": "智能体不经询问可以做什么的规则。",
  "permissions.ask": "在任何模式下都要询问的规则。",
  "permissions.deny": "在任何模式下智能体都不能做什么的规则。",
  "backtrack.enabled": "新会话是否有 Backtrack 工具。",
  "backtrack.maxPerTurn": "每个轮次最多回溯的次数。",
  "backtrack.display": "回溯的显示方式：card、line 或 off；日志和 JSON 输出始终包括它。",
  "backtrack.mention": "模型是否可以告诉你它回溯过：allowed 或 never。",
  "compaction.ratio": "上下文占到窗口的多大比例时进行压缩。",
  "compaction.reserve":
    "压缩之前，窗口中为回复及其工具调用结果留出的 token 数；auto 为 50000 或窗口的四分之一，取较小者。最多为窗口的一半。",
  "compaction.keep": "压缩时原样保留最近多少次往来（一条回复及其工具结果）。",
  "compaction.model": "写摘要的模型，写作 provider/name；留空时为正在使用的模型。",
  "compaction.auto": "上下文满时是否自动压缩。",
  "recovery.maxRetries": "模型调用失败时重试的次数。",
  "snapshots.firstWaitMs": "改动文件的工具等待工作区首次捕获的最长时间，以毫秒为单位。",
  "agent.maxSteps": "每个轮次最多调用模型的次数；被回溯撤回的调用不计入。",
  "agent.silenceMs": "模型多久没有发送任何内容，其回复就算中断，以毫秒为单位；ping 和空的增量不算内容。",
  host: "在时间线上工作的智能体：native（Worldline 自己的），或 claude（Claude Agent SDK）。已有的会话沿用原来的智能体。",
  "claude.sdk": "Claude Agent SDK 的安装文件夹；留空时在 Worldline 旁边查找。",
  "claude.model": "宿主 claude 使用的模型，采用 Claude Agent SDK 的名称；留空时由 SDK 选择。",
  "snapshots.engine":
    "回退宿主 claude 的会话时由什么恢复文件：worldline，或 sdk（Claude Agent SDK 自己的检查点，只涵盖它的编辑工具）。",
  language: "Worldline 的语言：en、zh-CN，或 auto（依据 LC_ALL、LC_MESSAGES 和 LANG）；工作区不能设置它。",
  "ui.doubleEscapeMs": "第二次 Esc 必须在多少毫秒内按下，才算作 Esc Esc。",
  "ui.theme": "界面的颜色：light、dark，或 auto（询问终端的背景色）。",
  "ui.mouse": "界面是否使用鼠标滚动。",
};
