import type { Strings } from "../strings.ts";
import { whole } from "./measures/whole.ts";

const ways: Readonly<Record<string, string>> = {
  "an edit of one line": "改一行",
  "an edit among many that do no harm": "混在许多无害编辑中的一处编辑",
  "a sed in a shell": "shell 中的 sed",
  "an ignored file that was deleted": "删除一个被忽略的文件",
  "the mode of a file": "文件的权限",
  "a renamed file": "重命名文件",
  "two steps that only together break it": "两个步骤合在一起才会弄坏",
  "a flaky test": "不稳定的测试",
  "an edit from outside": "来自外部的编辑",
  "a file that is no text": "不是文本的文件",
};

export const sample: Strings["find"]["sample"] = {
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
