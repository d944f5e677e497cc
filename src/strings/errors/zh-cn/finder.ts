import type { finder as english } from "../en/finder.ts";
import type { Translated } from "../texts.ts";

export const finder: Translated<typeof english> = {
  "change-not-taken-back": {
    message: ({ paths }) => `没有恢复任何内容：期间有人改动了 ${paths.join(", ")}。`,
    hint: () => "请重新运行。",
  },
  "files-not-kept": {
    message: ({ checkpoint }) => `检查点 ${checkpoint} 的文件没有保留。`,
    hint: (_, { command }) => `请选择另一个：${command("checkpoints")}`,
  },
  "temporary-folder-unusable": {
    message: ({ folder, errno }) =>
      `临时文件夹 ${folder} ${errno === undefined ? "不存在" : `无法写入（${errno}）`}。`,
    hint: () => "请把 TMPDIR 设为一个可以写入的文件夹。",
  },
  "find-cancelled": { message: () => "已取消；工作区没有改动。" },
};
