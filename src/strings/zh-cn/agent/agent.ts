import type { Strings } from "../../strings.ts";
import { outcomeCounts } from "../measures/outcomes.ts";
import { whole } from "../measures/whole.ts";

const reasons = {
  asked: "应你的要求",
  full: "上下文将满",
  "too-long": "提供方表示太长",
};

const scopes = { both: "文件和对话", conversation: "对话", files: "文件" };

const place = (to: number | undefined) => (to === undefined ? "" : `到 #${to}`);

export const agent: Strings["agent"] = {
  mcpUntrusted: (file) =>
    `${file} 尚未受信任，因此没有启动其中的服务器。先看看它会启动什么，然后：worldline config trust`,
  mcpTrouble: (server, message, hint) => `MCP 服务器 ${server}：${message} ${hint}`,
  unusedInstructions: {
    link: (file) => `${file} 是链接，可能指向任何地方，因此智能体不读取它。请换成文件。`,
    "no-file": (file) => `${file} 不是文件，因此智能体不读取它。`,
    unreadable: (file) => `${file} 无法读取，智能体将在没有它的情况下工作。`,
    cut: (file) => `${file} 太长，智能体只读取开头的 40,000 个字符。`,
  },
  silentPipe: (waitedMs) =>
    `标准输入在 ${waitedMs / 1_000} 秒内没有内容，不再等待。如果本来就没有内容，请加上 < /dev/null。`,
  resumed: (session) => `继续会话 ${session}`,
  forked: (session) => `在副本中继续，会话 ${session}`,
  tool: (name, about) => (about === "" ? name : `${name} ${about}`),
  earlierCall: "之前的一次调用",
  toolFailed: (name, why) => `${name} 失败：${why}`,
  toolDenied: (name, why) => `${name} 被拒绝：${why}`,
  toolInterrupted: (name) => `${name} 被中断`,
  retry: ({ attempt, of, waitMs, checkpoint, message }) =>
    `${Math.ceil(waitMs / 1_000)} 秒后从上一个检查点（#${checkpoint}）尝试恢复，第 ${attempt} 次，共 ${of} 次：${message}`,
  waitingForCapture: "等待工作区的文件捕获完成",
  backtracked: ({ to, entries, tokens }) =>
    `已回溯到 #${to}：离开 ${whole(entries)} 个条目，约 ${whole(tokens)} 个 token`,
  backtrackedTo: (prompt) => `  回到：${prompt}`,
  backtrackedBecause: (why) => `  原因：${why}`,
  backtrackRestored: (counts) => `  文件：${outcomeCounts(counts)}`,
  journeys: {
    rewind: (scope, to) => `已回退${scopes[scope]}${place(to)}`,
    redo: (scope, to) => `已重做${scopes[scope]}${place(to)}`,
  },
  compacted: ({ before, after, reason }) =>
    `已压缩（${reasons[reason]}）：约 ${whole(before)} 个 token 变为 ${whole(after)}`,
  notCompacted: (why) => `未压缩：${why}`,
  files: (count) => `改动了 ${whole(count)} 个文件：`,
  changes: { created: "新建", changed: "改动", deleted: "删除" },
  lines: (added, removed) => `+${added} -${removed}`,
  moreFiles: (count) => `还有 ${count} 个`,
  denied: (count) => `这里无人可问，因此拒绝了 ${whole(count)} 次调用`,
  interrupting: "正在中断；再按一次 Ctrl-C 立即停止",
  interrupted: "已中断。目前为止完成的都已保留。",
  resumeWith: (command) => `要继续：${command}`,
  chooseSession: "哪个会话？",
};
