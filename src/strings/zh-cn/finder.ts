import type { Strings } from "../strings.ts";
import { spaced, whole } from "./measures.ts";

const ways: Readonly<Record<string, string>> = {
  "a one-line edit": "改一行",
  "an edit among many harmless ones": "混在许多无害编辑中的一处编辑",
  "a sed command in a shell": "shell 中的 sed",
  "an ignored file that was deleted": "删除一个被忽略的文件",
  "a changed file mode": "文件的权限",
  "a renamed file": "重命名文件",
  "two steps that break it only together": "两个步骤合在一起才会弄坏",
  "a flaky test": "不稳定的测试",
  "an edit from outside": "来自外部的编辑",
  "a file that is not text": "不是文本的文件",
};

const sample: Strings["find"]["sample"] = {
  title: (ways) => `用 ${whole(ways)} 种方式弄坏一个小项目，每次都问查找器是什么造成的`,
  way: (name) => ways[name] ?? name,
  trying: (index, all, way) => `第 ${index} 种，共 ${all} 种：${way}`,
  mending: (way) => `离线工作者正在修复“${way}”`,
  headings: { way: "做了什么", verdict: "查找器的结论", named: "指出的是" },
  verdicts: {
    found: "已找到",
    range: "几者之一",
    flaky: "不稳定，无法得出结论",
    "green-now": "现在通过",
    "cannot-tell": "无法得出结论",
  },
  named: (paths, checkpoint, by) => `${paths}（${checkpoint === undefined ? "" : `#${checkpoint}，`}${by}）`,
  by: { timeline: "worldline 的命令", outside: "外部" },
  nothing: "无",
  right: "正确",
  wrong: "错误！",
  about: {
    verdict: "结论",
    checkpoint: "检查点",
    files: "文件",
    lines: "行",
    author: "改动者",
    proof: "证明",
    trouble: "出错",
  },
  said: (about, said, wanted) =>
    wanted === "" ? `${about}：${said}` : `${about}：给出的是 ${said}；实际是 ${wanted}`,
  worker: (way) => `离线工作者修复“${way}”：真实的智能体和工具，不用模型、密钥和网络`,
  call: (name, about, outcome) => `${name} ${about}${outcome === "" ? "" : `：${outcome}`}`,
  ended: { ok: "", error: "失败", denied: "被拒绝", interrupted: "被中断", open: "没有结束" },
  tested: { ok: "通过", error: "失败", denied: "被拒绝", interrupted: "被中断", open: "没有结束" },
  back: (to, restored, note) => `回溯到 #${to}，恢复 ${whole(restored)} 个文件，留言：${note}`,
  claimed: "在日志中和磁盘上检查了这些",
  claims: {
    red: "先运行了测试，并且失败",
    wrong: "猜错了，并看到测试再次失败",
    back: "每次都回溯，并留言写明所猜的内容",
    restored: "每次都恢复了全部文件",
    green: "最后测试通过",
    only: "只改动了弄坏它的地方，并且恢复如初",
    named: "它的回答指出了这一点",
  },
  outcome: (off, ways, proved) => {
    if (off > 0) return `${whole(off)} 行有误。`;
    const all = ways === 1 ? "查找器判断正确" : `查找器 ${ways} 次中对了 ${ways} 次`;
    return proved === "both" ? `${all}，工作者的修复也成立。` : `${all}。`;
  },
  gone: "临时文件夹已删除。",
  kept: (folder) => `已保留：${folder}`,
};

export const find: Strings["find"] = {
  present: "现在",
  checkpoint: (number, session, when) => `${session} 的 #${number}（${when}）`,
  trying: {
    present: (where) => `正在运行测试，文件取自：${where}……`,
    back: (where) => `正在找测试通过的时候：${where}……`,
    between: (where, left) => `在通过与失败之间：${where}，大约还有 ${left} 个……`,
    again: (where) => `再确认一次：${where}……`,
    newer: (where, left) => `之后是否又通过过：${where}，最多还有 ${left} 个……`,
  },
  judged: { pass: "  通过", fail: "  失败", unjudged: (why) => `  无法判定：${why}` },
  unjudged: {
    "folder-missing": "命令要在其中运行的文件夹当时不存在",
    timeout: (seconds) => `运行超过了 ${seconds} 秒`,
    skipped: "命令自己这样表示（退出代码 125）",
    "not-started": (program, problem) => `无法启动“${program}”：${problem}`,
    "not-runnable": (exit) => `找不到该命令，或无法启动（退出代码 ${exit}）`,
    "files-unwritten": (problem) => `无法写出它的文件：${problem}`,
    "files-uncaptured": (path) => `它的文件没有全部捕获，例如 ${path}`,
  },
  narrowing: (pieces) => `是改动的哪一部分：共 ${whole(pieces)} 块……`,
  linked: (paths) => `未捕获，按现在的样子使用：${paths}`,
  absolute: (word) => `“${word}”指向工作区本身，测试可能不会去看副本。请使用相对于当前文件夹的路径。`,
  partial: (why) => `现在没有捕获全部文件：${why}`,

  greenNow: "测试现在是通过的：没有什么可找。",
  noPast: "无法得出结论：这里没有带文件的检查点，没有可以比较的对象。",
  noPastHint: "从现在起可以有：worldline watch",
  neverGreen: (tried, where) =>
    `无法得出结论：在有文件的最早时候就已失败（试了 ${whole(tried)} 个状态，最早的是 ${where}）。`,
  presentUnjudged: (why) => `无法得出结论：用现在的文件无法判定测试：${why}。`,
  notStarted: "请检查命令：中间没有 shell，每个词单独传入。要用 shell：worldline find -- sh -c '…'",
  unconfirmed: (green, red) =>
    `无法确定现在失败的原因。最近一次变坏在 ${spaced(green)}与 ${spaced(red)}之间：`,
  flaky: (passed, of, where) =>
    `测试不稳定：在 ${spaced(where)}运行 ${of} 次，通过 ${passed} 次；无法得出结论。`,
  flakyNarrowing: (where) => `测试不稳定：${spaced(where)}的同一批文件时而通过时而失败；无法得出结论。`,
  suspect: (green, red) => `看起来是从 ${spaced(green)}与 ${spaced(red)}之间开始的。`,
  found: (green, red) => `找到了：在 ${spaced(green)}与 ${spaced(red)}之间变坏。`,
  range: (green, red, skipped) =>
    `在 ${spaced(green)}与 ${spaced(red)}之间变坏：是以下之一，因为中间有 ${whole(skipped)} 个状态无法判定。`,
  prompt: (text) => `  提示：${text}`,
  by: {
    tool: (name, input) => `  来自：${name} ${input}`,
    otherCalls: (count) => `      （这段时间内还有 ${whole(count)} 次调用）`,
    timeline: "  来自：worldline 运行的命令",
    outside: "  来自：外部的编辑",
  },
  changes: {
    lines: (path) => path,
    mode: (path, before, after) => `${path}：权限 ${before} -> ${after}`,
    content: (path) => `${path}：内容不同，且不是文本`,
    created: (path) => `${path}：新建`,
    deleted: (path) => `${path}：删除`,
    kind: (path) => `${path}：类型变了`,
  },
  renamed: (path) => `  （同样的内容现在在 ${path}）`,
  noChange: "差异中没有哪一部分可以单独尝试。",
  mends: "要让测试通过，以上全部都要去掉。",
  givenUp: "真正的原因可能更小：逐块尝试的工作量太大。",
  effects: {
    confirmed: "已证实：在现在的文件中去掉它，测试通过。",
    "other-causes": "未证实：去掉它，测试现在仍然失败。还有其他原因。",
    "changed-since": (paths) => `未证实：无法从现在的文件中去掉它，因为 ${paths} 之后又有改动。`,
    unjudged: (why) => `未证实：去掉它之后，现在无法判定测试：${why}。`,
  },
  undoWith: "要只撤回这一处：在同一命令后加上 --undo",
  undone: (paths, command) =>
    `去掉后测试通过，已撤回：${paths}。其余不变。要再改回来：${command({ do: "redo" })}`,
  undonePartly: (paths, command) => `无法撤回：${paths}。要退回去：${command({ do: "redo" })}`,
  notUndone: "什么都没有撤回。",
  sample,
};

/** `改动 47 个文件，删除 3 个，新建 2 个`. */
const changedFiles: Strings["watch"]["changedFiles"] = ({ created, deleted, changed, folders }) => {
  const parts = [
    ["改动", changed],
    ["删除", deleted],
    ["新建", created],
  ] as const;
  const [first, ...rest] = parts.filter(([, count]) => count > 0);
  if (first === undefined) return folders > 0 ? `改动 ${whole(folders)} 个文件夹` : "没有文件改动";
  const others = rest.map(([what, count]) => `${what} ${whole(count)} 个`);
  return [`${first[0]} ${whole(first[1])} 个文件`, ...others].join("，");
};

export const watch: Strings["watch"] = {
  began: (workspace, session) =>
    `正在监视 ${workspace}（会话 ${session}）。Ctrl-C 结束；所有检查点都会保留。`,
  polling: (seconds) => `系统在这里不通知文件变化，因此每 ${whole(seconds)} 秒查看一遍所有文件。`,
  known: "文件与时间线所知一致。",
  made: (number, what) => `检查点 #${number}：${what}`,
  first: "第一个带文件的检查点",
  gaps: (number, why) => `检查点 #${number} 不完整：${why}`,
  line: (made, last) => `正在监视：${whole(made)} 个检查点${last}`,
  last: (number, ago, what) => `，最近的是 #${number}，${ago}，${what}`,
  changedFiles,
  ago: (seconds) =>
    seconds < 60
      ? `${Math.floor(seconds)} 秒前`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} 分钟前`
        : `${Math.floor(seconds / 3600)} 小时前`,
  trouble: (why) => `${why} 继续监视。`,
  uncaptured: "监视已结束，但最后的改动未能捕获。",
  cut: "还没把所有文件看完一遍就结束了。",
  ended: (made) => (made === 0 ? "监视已结束；没有文件改动。" : `监视已结束，共 ${whole(made)} 个检查点。`),
};

export const run: Strings["run"] = {
  before: (number, command) => `检查点 #${number}，运行之前：${command}`,
  unprotected: (why) => `命令运行之前没有捕获文件，因此无法回退：${why}`,
  partly: (why) => `命令运行之前没有捕获全部文件：${why}`,
  notAfter: (why) => `命令所做的改动没有捕获：${why}`,
  unchanged: "没有文件改动。",
  changed: (counts) => changedFiles(counts),
  question: (summary) => `${summary}：[k] 保留，[l] 查看，[p] 补丁，[b] 回退（默认保留）？ `,
  notUnderstood: (typed) => `“${typed}”不是 k、l、p、b 之一。`,
  goBackWith: (command) => `要回退：${command}`,
  keptWith: (command) => `已保留。以后要回退：${command}`,
};
