import type {
  demonstrations as englishDemonstrations,
  finder as englishFinder,
} from "../../en/errors/finder.ts";
import type { Translated } from "../../errors/texts.ts";
import { sized } from "../measures.ts";

export const finder: Translated<typeof englishFinder> = {
  "change-not-taken-back": {
    message: ({ paths }) => `没有恢复任何内容：期间有人改动了 ${paths.join(", ")}。`,
    hint: () => "请重新运行。",
  },
  "files-not-kept": {
    message: ({ checkpoint }) => `检查点 ${checkpoint} 的文件没有保留。`,
    hint: (_, { command }) => `请选择另一个：${command({ do: "checkpoints" })}`,
  },
  "temporary-folder-unusable": {
    message: ({ folder, errno }) =>
      `临时文件夹 ${folder} ${errno === undefined ? "不存在" : `无法写入（${errno}）`}。`,
    hint: () => "请把 TMPDIR 设为一个可以写入的文件夹。",
  },
  "changes-unreadable": {
    message: ({ problem }, { message }) => `无法查看改动：${message(problem)}`,
    hint: ({ problem }, { hint }) => hint(problem),
  },
  "finder-without-files": {
    message: ({ problem }, { message }) => `查找原因需要文件检查点：${message(problem)}`,
    hint: ({ problem }, { hint }) => hint(problem),
  },
  "find-cancelled": { message: () => "已取消；工作区没有改动。" },
};

export const demonstrations: Translated<typeof englishDemonstrations> = {
  "story-stopped": { message: () => "故事已停止。" },
  "nothing-touched": { message: () => "已取消；没有碰过你的任何内容。" },
  "folder-to-keep-not-empty": {
    message: ({ folder }) => `${folder} 不是空的。`,
    hint: () => "请给 --keep 一个空文件夹，或一个还不存在的文件夹。",
  },
  "finder-failed": {
    message: ({ why }) => `查找没有完成：${why}`,
    hint: (_, { command }) => `查看全部过程：${command({ do: "find --sample" })}`,
  },
  "copy-not-captured": {
    message: () => "无法捕获副本。",
    hint: ({ why }, { message }) => (why === undefined ? "请再试一次。" : message(why)),
  },
  "damage-unknown": {
    message: ({ given }) => `没有名为“${given}”的破坏方式。`,
    hint: ({ known, meant }) =>
      meant === undefined ? `可用的有：${known.join("，")}` : `是否想写 ${meant}？`,
  },
  "no-room-for-copy": {
    message: ({ folder, free, needed }) =>
      `空间不足，无法复制：${folder} 中剩余 ${sized(free)}，需要 ${sized(needed)}。`,
    hint: () => "请把 TMPDIR 设为更大磁盘上的文件夹，或只证明文件夹的一部分。",
  },
  "folder-too-large-to-copy": {
    message: ({ folder, files, bytes }) =>
      `${folder} 超过默认可复制的大小：多于 ${files.toLocaleString("en")} 个文件或 ${sized(bytes)}。`,
    hint: (_, { command }) => `只证明其中一部分，或提高上限：${command({ do: "prove", limit: 8 })}`,
  },
  "folder-to-prove-missing": {
    message: ({ folder }) => `${folder} 不存在。`,
    hint: (_, { command }) => `请给一个存在的文件夹，或不给：${command({ do: "prove" })}`,
  },
};
