import type { CommandText } from "../../commands.ts";
import type {
  agent as englishAgent,
  agentSessions as englishAgentSessions,
  SummaryFault,
} from "../../en/errors/agent.ts";
import type { Translated } from "../../errors/texts.ts";

const NOT_RESTORABLE = "捕获完成之前它所改动的内容可能无法恢复。";

export const agent: Translated<typeof englishAgent> = {
  "turn-running": { message: () => "有一个轮次正在运行。", hint: () => "请等它结束，或先中断它。" },
  "turn-not-cut": {
    message: () => "上一个轮次已经结束：没有可以继续的内容。",
    hint: () => "请说明接下来要做什么。",
  },
  "turn-interrupted": { message: () => "轮次已中断。" },
  "model-fixed": {
    message: ({ model }) => `在这里不能把模型换成 ${model}。`,
    hint: (_, { command }) => `请用想要的模型重新开始：${command({ do: "start", model: { any: "name" } })}`,
  },
  "step-limit": {
    message: ({ steps }) => `轮次在 ${steps} 个步骤后停止。`,
    hint: (_, { place, command }) =>
      place === "screen"
        ? `请用另一个提示词继续，或允许更多步骤：${command({ do: "config" })}`
        : `继续：${command({ do: "resume", how: "continue" })}，或允许更多步骤：--max-steps`,
  },
  "not-compacted": {
    message: ({ problem }, { message }) => `无法压缩对话。${message(problem)}`,
    hint: () => "上下文保持不变。",
  },
  "summary-unusable": { message: ({ fault }) => `模型的摘要无法使用：${SUMMARY_FAULTS[fault]}。` },
  "summary-not-tried": { message: () => "没有进行尝试。" },
  "summary-too-late": { message: () => "生成摘要期间，对话又有了进展。" },
  "nothing-to-compact-now": { message: () => "没有可压缩的内容。" },
  "compaction-interrupted": { message: () => "已被中断。" },
  "sdk-compacted-alone": {
    message: () => "SDK 压缩了它自己的对话。会话的日志没有可压缩的内容，保持原样。",
  },
  "nothing-left-to-compact": {
    message: (_, { command }) =>
      `没有可压缩的内容：始终保留的部分、最后的提示词和最后几次往来已占满上下文。请给出更短的提示词，只写文件名而不包含文件内容，用 \`${command({ do: "rewind" })}\` 回退，或选择窗口更大的模型。`,
  },
  "compacting-stopped": {
    message: () =>
      "连续两次压缩都没有效果，因此在你的下一个提示词之前不再自动尝试。请回退到更早的检查点，用侧重点说明什么重要再压缩，或选择窗口更大的模型。",
  },
  "backtrack-took": {
    message: ({ paths, more, commands }) =>
      `回溯撤销了${commands.length === 1 ? ` \`${commands[0]}\` ` : ` ${commands.length} 条命令`}运行期间的改动：${paths.join(", ")}${more === 0 ? "" : `，另有 ${more} 个`}。`,
    hint: ({ journey }, { command }) =>
      `如果那是你自己的编辑，可以取回：${command({ do: "redo", journey, scope: "files" })}`,
  },
  "capture-not-waited-for": {
    message: () => "工作区的首次捕获尚未完成；按你的要求，工具不再等待，直接运行。",
    hint: () => NOT_RESTORABLE,
  },
  "capture-late": {
    message: ({ seconds }) => `${seconds} 秒后工作区的首次捕获仍未完成；工具不再等待，直接运行。`,
    hint: () => `${NOT_RESTORABLE}等待更久：snapshots.firstWaitMs`,
  },
  "checkpoint-list-unwritten": {
    message: ({ problem }, { message }) =>
      `无法写入 checkpoints/metadata.json：${message(problem)} 检查点本身在日志中。`,
    hint: ({ problem }, { hint }) => hint(problem),
  },

  "rule-invalid": {
    message: ({ rule, problem }, { message }) => `“${rule}”不是权限规则：${message(problem)}。`,
    hint: () => "请写成 Tool 或 Tool(pattern)，例如 Bash(npm test:*)；见 docs/guide/permissions.md。",
  },
  "rule-empty": { message: () => "它是空的" },
  "rule-unclosed": { message: () => "其模式的末尾没有右括号" },
  "rule-tool-name": { message: ({ tool }) => `“${tool}”不能是工具名；请写成 Tool 或 Tool(pattern)` },
  "rule-no-server": { message: () => "没有指明服务器；请写成 mcp__server 或 mcp__server__tool" },
  "rule-tool-unknown": { message: ({ tool, known }) => `没有工具“${tool}”；请写成 ${known}` },
  "rule-pattern-empty": { message: ({ tool }) => `括号中没有内容；要涵盖全部，请写成 ${tool}` },
  "rule-pattern-long": { message: ({ most }) => `其模式超过 ${most} 个字符` },
  "rule-no-pattern": {
    message: ({ tool, others }) => `${tool} 不接受模式；只有 ${others.join(", ")} 接受`,
  },
  "rule-prefix-empty": { message: () => ":* 之前没有内容；要涵盖所有命令，请写成 Bash" },
  "rule-path-up": {
    message: () => "含有 .. 的路径无法判断；请写成 //absolute/path、~/path 或 path",
  },
  "rule-glob-extended": { message: () => "不支持 +(a|b) 这样的模式；请写成 {a,b}" },
  "rule-glob-range": { message: () => "不支持 {1..3} 这样的范围；请写成 {1,2,3}" },
  "rule-glob-alternatives": { message: ({ most }) => `其中的可选项超过 ${most} 个` },
  "rule-path-slash": {
    message: ({ rest }) => `绝对路径请写成 //${rest}，工作区中的路径请写成 ${rest || "**"}`,
  },
  "rule-domain": { message: () => "WebFetch 的模式是 domain:example.com 或 domain:*.example.com" },

  "mcp-config-unreadable": {
    message: ({ file, why }) => `无法读取 ${file}：${why}。`,
    hint: () => "请让它成为可读的 JSON 文件，或将其移走；在此之前不会启动 MCP 服务器。",
  },
  "mcp-config-invalid": {
    message: ({ file, line, column, problem }, { message }) =>
      `${file}:${line}:${column}：${message(problem)}。`,
    hint: () => "请改正该文件；在此之前不会启动 MCP 服务器。",
  },
  "mcp-not-json": { message: () => "这不是 JSON" },
  "mcp-no-object": { message: () => "应为 { } 中的对象" },
  "mcp-servers-no-object": { message: () => "mcpServers 应为 { } 中的对象" },
  "mcp-no-server": { message: () => "应为一个服务器" },
  "mcp-server-invalid": {
    message: ({ server, said, at }) =>
      `服务器 ${server}：${said ?? "无法理解"}${at === "" ? "" : `（位于 ${at}）`}`,
  },
};

const SUMMARY_FAULTS: Readonly<Record<SummaryFault, string>> = {
  longer: "它比所概括的内容还长",
  cut: "它在模型的上限处被截断",
  "only-thinking": "其中只有思考",
  empty: "它是空的",
  instruction: "它只是重复了指示",
};

interface Held {
  readonly session: string;
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const heldBy = ({ session, name, pid, host, since }: Held) =>
  `会话 ${session} 正被 ${name} 占用（${host} 上的进程 ${pid}，自 ${since}）`;
const inACopy = (session: string, command: CommandText) =>
  `在副本中继续：${command({ do: "open", session, how: "fork" })}`;

export const agentSessions: Translated<typeof englishAgentSessions> = {
  "execution-not-conversation": {
    message: ({ id }) => `${id} 是程序的执行，不是对话。`,
    hint: ({ session }, { command }) =>
      `程序再次启动时会继续它。查看它的步骤：${command({ do: "executions show", execution: session })}`,
  },
  "confirmation-not-needed": { message: () => "这个存储不需要确认。" },
  "session-held": {
    message: (held) => `${heldBy(held)}。`,
    hint: ({ session }, { command }) => `请在那里关闭它，或${inACopy(session, command)}`,
  },
  "session-leased-until": {
    message: ({ until, ...held }) => `${heldBy(held)}；若不续期，租约到 ${until} 为止。`,
    hint: ({ session }, { command }) =>
      `请在那里关闭它；如果它已意外结束，请等到那时；或${inACopy(session, command)}`,
  },
  "session-held-elsewhere": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ session, problem }, { command, hint }) => `${hint(problem)}或${inACopy(session, command)}`,
  },
  "session-not-closed": {
    message: ({ why }) => `会话未能正常关闭：${why}`,
    hint: (_, { command }) => `查看问题所在：${command({ do: "doctor" })}`,
  },
  "turn-has-ended": {
    message: () => "上一个轮次已经结束：没有可以继续的内容。",
    hint: ({ session }, { command }) =>
      `请说明接下来做什么：${command({ do: "resume", session, how: "prompt" })}`,
  },
  "one-way-to-go-on": {
    message: () => "会话只能以一种方式继续。",
    hint: () => "请只给出 --continue、--retry、--rewind-files 和提示词之一。",
  },
  "files-before-step-not-captured": {
    message: ({ step }) => `没有捕获步骤 #${step} 之前的文件。`,
    hint: ({ session, older }, { command }) =>
      older === undefined
        ? `更早的检查点也没有。查看已有的：${command({ do: "checkpoints" })}`
        : `在它之前最新的是 #${older} 的文件：${command({ do: "rewind", to: { session, checkpoint: older }, scope: "files" })}`,
  },
  "no-step-was-cut": {
    message: () => "没有步骤被打断，因此没有要退回的文件。",
    hint: (_, { command }) => `回到任意检查点：${command({ do: "rewind" })}`,
  },
  "compaction-failed": {
    message: ({ why }) => `无法压缩对话。${why}`,
    hint: () => "上下文保持原样。",
  },
  "compaction-not-foreseen": {
    message: () => "事先无法知道 Claude Agent SDK 会总结什么。",
    hint: () => "请去掉 --dry-run。什么都不会丢失：回退能找回一切。",
  },
};
