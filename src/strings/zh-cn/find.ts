import type { Strings } from "../strings.ts";
import { sample } from "./find-sample.ts";
import { spaced } from "./measures/spaced.ts";
import { whole } from "./measures/whole.ts";

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
  undone: (paths, command) => `去掉后测试通过，已撤回：${paths}。其余不变。要再改回来：${command("redo")}`,
  undonePartly: (paths, command) => `无法撤回：${paths}。要退回去：${command("redo")}`,
  notUndone: "什么都没有撤回。",
  sample,
};
