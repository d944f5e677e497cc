import type { Strings } from "../../strings.ts";

export const editor: Strings["terminal"]["editor"] = {
  modes: {
    shell: "命令：输出会进入对话",
    "shell-untold": "命令：不告诉模型",
  },
  linesAbove: (count) => `上方还有 ${count} 行`,
  linesBelow: (count) => `下方还有 ${count} 行`,
  search: {
    title: "历史：",
    found: (chosen, of) => `第 ${chosen} 条，共 ${of} 条；Ctrl+R 更早，Enter 取用`,
    none: "没有输入过类似内容",
  },
};
