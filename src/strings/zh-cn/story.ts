import type { Strings } from "../strings.ts";
import { whole } from "./measures/whole.ts";

const tokens = (count: number) => `${whole(count)} 个 token`;

export const story: Strings["story"] = {
  title: "真实时间线上的一个故事",
  scripted: "模型、工具和人都是脚本，没有调用任何模型；日志、文件和下面的每项检查都是真的。",
  prompted: (checkpoint, prompt) => `人提问（检查点 ${checkpoint}）：“${prompt}”`,
  readTooMuch: (characters, size) =>
    `智能体读了 ${whole(characters)} 个字符的日志：占用 ${tokens(size)} 的上下文，却没有答案。`,
  backtracked: (checkpoint, note) =>
    `它带着留言回溯到检查点 ${checkpoint}：“${note.slice(0, 46)}…”，并修好了泄漏。`,
  compacted: (checkpoint, before, after) =>
    `要它写测试（检查点 ${checkpoint}），它写了；压缩：${whole(before)} -> ${tokens(after)}。`,
  rewound: (checkpoint, prompt) => `人回退到压缩之前的检查点 ${checkpoint}；输入框里又是：“${prompt}”`,
  triedElse: (checkpoint, prompt) => `改做别的（检查点 ${checkpoint}）：“${prompt}”`,
  redone: "人又改了主意：按名称重做那次回退，前进到它离开的地方。",
  forked: (session, at) => `分叉：会话 ${session} 从本会话的检查点 ${at} 开始。`,
  killed: (count) => `第二个进程写入分叉的会话，在确认 ${whole(count)} 个条目之后被 kill -9 终止。`,
  torn: (bytes, file) => `断电留下半行；再次打开时，这 ${whole(bytes)} 字节移到了 ${file}`,
  treeTitle: "会话现在的样子（worldline tree）",
  proofTitle: "在文件中检查了这些",
  claims: {
    kept: "每个已确认的条目都在日志中",
    reachable: "被放弃的分支上的每个条目都能到达",
    appended: "日志自始至终只有追加",
    backtrack: "回溯已提交并执行",
    tokens: "回溯让上下文变小",
    prefix: "回溯目标之前的上下文逐字节相同",
    uncompacted: "回退找回了被压缩隐藏的内容",
    redone: "重做让上下文逐字节还原",
    forked: "分叉看到的与源会话在该检查点看到的相同",
    sourceUntouched: "分叉没有动源会话的日志",
    killed: "kill -9 没有丢失已确认的条目",
    torn: "残缺的一行没有造成条目丢失，并且保留了下来",
  },
  found: {
    tokens: (before, after) => `${whole(before)} -> ${tokens(after)}（估计）`,
    bytes: (count) => `${whole(count)} 字节`,
    of: (count, all) => `${whole(count)} / ${whole(all)}`,
  },
  outcome: (holding, all) =>
    holding === all ? `${all} 项全部成立。临时文件夹已删除。` : `${all} 项中有 ${all - holding} 项不成立。`,
};
