import type { Strings } from "../../strings.ts";
import { spaced } from "../measures/spaced.ts";

export const resume: Strings["resume"] = {
  session: (name) => `会话 ${name}`,
  workedOn: (owner) => `${spaced(owner)}正在处理它。请等它结束，或在那边中断它。`,
  lease: (until) => `它的租约到 ${until} 为止，运行期间会不断续租；如果它已经死亡，此后会话即可接管。`,
  copy: (command) => `或在副本中继续：${command}`,
  ended: (commands) => `已结束被终止的运行留下的命令：${commands.join("；")}`,
  choices: "要继续：",
  choice: {
    continue: "从最后一个完好的步骤继续",
    retry: "重新执行中断的步骤",
    rewindFiles: "把文件回退到中断的步骤之前",
    prompt: "说明接下来做什么",
  },
  question: "[c] 继续，[r] 重新执行该步骤，[f] 回退文件，或保持原样（默认保持原样）？ ",
  retrying: ({ attempt, of, waitMs, message }) =>
    `${waitMs / 1_000} 秒后重新执行该步骤，第 ${attempt} 次，共 ${of} 次：${message}`,
  notUnderstood: (typed) => `“${typed}”不是 c、r、f 之一。`,
};
