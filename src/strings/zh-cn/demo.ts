import type { Strings } from "../strings.ts";
import { sized, whole } from "./measures.ts";

const files = (count: number) => `${whole(count)} 个文件`;
const paths = (count: number) => `${whole(count)} 个路径`;

export const prove: Strings["prove"] = {
  title: (what) => `正在破坏副本：${what}`,
  sample: "内置示例",
  copied: (count, bytes, folder) =>
    `已把 ${files(count)}（${sized(bytes)}）复制到 ${folder}；不会写到它以外的地方。`,
  leftOut: (count) => `未复制、以替身代替：${whole(count)} 个大文件夹，例如 node_modules。`,
  skipped: (count) => `未复制：${paths(count)}，它们无法读取，或不是文件、文件夹、链接。`,
  copying: (count) => `正在复制：${files(count)}`,
  trying: (index, all, damage) => `第 ${index} 种，共 ${all} 种：${damage}`,
  killing: (index, all) => `正在终止一次恢复：第 ${index} 次，共 ${all} 次`,
  damages: {
    overwritten: "覆盖一个文件",
    appended: "追加一行",
    emptied: "清空一个文件",
    edited: "对文件执行 sed -i",
    carriageReturns: "行尾改成 CRLF",
    binary: "用随机字节覆盖文件",
    sameSize: "大小不变、时间不变的编辑",
    future: "时间在未来的编辑",
    replaced: "以重命名替换文件",
    swapped: "交换两个文件",
    removed: "删除一个文件",
    removedFolder: "rm -rf 一个文件夹",
    removedAll: "删除全部文件",
    moved: "移动一个文件",
    movedFolder: "移动一个文件夹",
    private: "改为 chmod 600",
    executable: "改为 chmod 777",
    sticky: "设置 setuid 和 sticky 位",
    unreadable: "改为 chmod 000",
    folderMode: "对文件夹 chmod 700",
    lockedFolder: "删除文件，并把其文件夹设为只读",
    linkMoved: "链接改指别处",
    linkToFile: "链接换成文件",
    fileToLink: "文件换成链接",
    folderToLink: "文件夹换成指向 /etc 的链接",
    fileToFolder: "文件换成文件夹",
    folderToFile: "文件夹换成文件",
    emptyFolder: "删除一个空文件夹",
    environment: "删除被忽略的 .env",
    environmentEdited: "改动被忽略的 .env",
    ignoredNew: "新建一个被忽略的文件",
    created: "新建文件",
    createdDeep: "新建层层嵌套的文件夹",
    oddNames: "新的怪名字：换行、非 UTF-8、连字符",
    oddRemoved: "删除怪名字",
    ignoreRules: "改动 .gitignore",
    ignoreRemoved: "删除 .gitignore",
    nested: "改动嵌套仓库中的文件",
    hardLink: "建立硬链接并通过它写入",
    large: "一个大文件",
    sparse: "一个稀疏文件",
    fifo: "建立一个 FIFO",
    many: "新建两千个文件",
    mixed: "以上多种同时发生",
  },
  headings: { damage: "破坏方式", paths: "路径", restored: "已恢复", redone: "已重做" },
  yes: "是",
  no: "否！",
  nothing: "没有变化",
  stayed: "（除了无法捕获、且已指明的）",
  problem: (path, wanted, found) => `${path}：实际是 ${found}，应为 ${wanted}`,
  absent: "不存在",
  moreProblems: (count) => `还有 ${whole(count)} 个`,
  notClean: (count) => `事后有 ${paths(count)}与之前不同`,
  scriptFailed: (why) => `无法实施破坏：${why}`,
  claims: {
    kills: "被终止的恢复由下一个程序完成",
    git: "git 自己的文件没有动过",
    whole: "一切与复制时相同",
    store: "快照存储校验无误",
  },
  kills: (landed, made) => `用 SIGKILL 终止 ${whole(made)} 次，其中 ${whole(landed)} 次在中途`,
  paths,
  snapshots: (count) => `${whole(count)} 个快照`,
  outcome: (off, damages, stayed) => {
    if (off > 0) return `${whole(off)} 行有误。`;
    const all = damages === 1 ? "破坏" : `${damages} 种破坏`;
    const but = stayed === 0 ? "" : `，只有 ${paths(stayed)}无法捕获，且已指明`;
    return `${all}全部逐字节恢复并重做${but}。`;
  },
  gone: "临时文件夹已删除。",
  kept: (folder) => `已保留：${folder}`,
};

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
