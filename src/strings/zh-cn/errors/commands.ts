import type { CommandText } from "../../commands.ts";
import type {
  choosing as englishChoosing,
  commandLine as englishCommandLine,
  running as englishRunning,
  LeftAsItWas,
  MeantCommand,
  Misread,
  WhyNotStarted,
} from "../../en/errors/commands.ts";
import type { Translated } from "../../errors/texts.ts";

const leaveOneOut = () => "请去掉其中一个。";
const seeHelp = ({ path }: { readonly path: string }) => `查看：${path} --help`;
const toTheAgent = (given: string, command: CommandText) =>
  `要把它说给智能体：${command({ do: "start", prompt: given })}`;

export const commandLine: Translated<typeof englishCommandLine> = {
  "command-misread": { message: misread, hint: aboutMisread },
  "choice-invalid": { message: misread, hint: aboutMisread },
  "word-begins-with-dash": {
    message: () => "以连字符开头的内容不是这个命令的选项。",
    hint: ({ path }) => `如果它就是文本本身，请在前面加上 --：${path} -- <text>，或从管道读取：${path} -`,
  },
  "no-help-for-command": { message: () => "没有这个名称的命令的帮助。", hint: seeHelp },
  "help-unknown": {
    message: ({ given }) => `没有“worldline ${given}”这个命令。`,
    hint: ({ meant }, { command }) =>
      meant === undefined ? "查看：worldline --help" : meantText(meant, command),
  },
  "command-or-prompt-unknown": {
    message: ({ given }) => `没有“worldline ${given}”这个命令。`,
    hint: ({ given, meant }, { command }) =>
      `${meant === undefined ? "查看：worldline --help。" : meantText(meant, command)}${toTheAgent(given, command)}`,
  },
  "command-unknown": {
    message: ({ path, given }) => `没有“${path} ${given}”这个命令。`,
    hint: ({ path, meant }) => (meant === undefined ? seeHelp({ path }) : `是否想用：${path} ${meant}`),
  },
  "command-incomplete": {
    message: ({ path }) => `“${path}”后面需要一个命令。`,
    hint: ({ path, known }) => `可用：${known.join("、")}。${seeHelp({ path })}`,
  },
  "folder-is-a-file": {
    message: ({ given }) => `${given} 是文件，不是可以在其中工作的文件夹。`,
    hint: ({ given }, { command }) => `请指定一个存在的文件夹。${toTheAgent(given, command)}`,
  },
  "folder-missing": {
    message: ({ given }) => `没有文件夹 ${given}`,
    hint: ({ given }, { command }) => `请指定一个存在的文件夹。${toTheAgent(given, command)}`,
  },
  "not-a-whole-number": {
    message: ({ option, given }) => `${option} 需要整数，而不是“${given}”。`,
    hint: ({ option }) => `例如：${option} 12`,
  },
  "option-empty": {
    message: ({ option }) => `${option} 没有给出值。`,
    hint: ({ option }) => `请去掉 ${option}，或检查它的值来自哪个变量。`,
  },
  "store-address-invalid": {
    message: ({ origin, problem }, { message }) => `${origin}：${message(problem)}`,
    hint: ({ problem }, { hint }) => hint(problem),
  },
  "options-contradict": {
    message: ({ one, other }) => `${one} 与 ${other} 互相矛盾。`,
    hint: leaveOneOut,
  },
  "reach-contradicts": {
    message: ({ other }) => `--all 与 ${other} 互相矛盾。`,
    hint: leaveOneOut,
  },
  "choices-contradict": {
    message: ({ one, other }) => `--${one} 与 --${other} 互相矛盾。`,
    hint: () => "请只给出 --keep、--take 和 --merge 之一。",
  },
  "needs-consent": {
    message: ({ question }) => `这需要你的同意：${question}`,
    hint: () => "这里无人可问。如果同意，请加上 --yes 再运行一次。",
  },
  cancelled: { message: ({ left }) => `已取消；${leftAsItWas[left]}。` },
  "pipe-empty": {
    message: () => "没有内容通过管道传入标准输入。",
    hint: ({ piped }, { command }) => {
      if (piped === "key") return "请通过管道传入密钥，或在终端中运行。";
      if (piped === "bundle") return `例如：${command({ do: "sessions import", from: "pipe" })}`;
      return `这样它不会留在任何历史记录中：read -rs S; printf %s "$S" | ${command({ do: "forget", what: "pipe" })}`;
    },
  },
  "pipe-too-long": {
    message: ({ most }) => `标准输入超过 ${most} 字节。`,
    hint: () => "对这个命令来说太多了。",
  },
  "prompt-too-long": {
    message: ({ mebibytes }) => `标准输入超过 ${mebibytes} MiB。`,
    hint: () => "请把它写入文件，并在提示词中写明该文件。",
  },
  "prompt-not-utf8": {
    message: () => "标准输入不是 UTF-8 文本。",
    hint: () => "请改为在提示词中写明文件，智能体可以读取它。",
  },
  "secret-not-utf8": {
    message: () => "通过管道传入标准输入的内容不是 UTF-8 文本。",
    hint: () => "只能搜索文本。",
  },
  "prompt-missing": {
    message: () => "没有提示词。",
    hint: (_, { command }) =>
      `请作为参数或通过管道给出，例如：${command({ do: "print", prompt: "why does the build fail?" })}`,
  },
  "fork-of-nothing": {
    message: () => "--fork 需要一个作为起点的会话。",
    hint: () => "请用 -r 指明它，或用 -c 选最近的一个。",
  },
  "option-not-a-rule": {
    message: ({ option, rule, problem }, { message }) =>
      `${option} “${rule}”不是权限规则：${message(problem)}。`,
    hint: () => "请写成 Tool 或 Tool(pattern)，例如 'Bash(npm test:*)'。",
  },
  "host-unknown": {
    message: ({ host }) => `此版本没有宿主“${host}”。`,
    hint: () => "可用的有：native，即 Worldline 自己的智能体；claude，即 Claude Agent SDK。",
  },
  "no-steps-allowed": {
    message: () => "--max-steps 至少为 1。",
    hint: () => "例如：--max-steps 20",
  },
  "nothing-to-look-for": {
    message: () => "没有要搜索的内容。",
    hint: (_, { command }) => `例如：${command({ do: "sessions search", text: "connection pool" })}`,
  },
  "one-thing-to-forget": {
    message: ({ count }) => `一次只能遗忘一项内容，这里给出了 ${count} 项。`,
    hint: () => "请给出文本、--text <text>、--path <file>，或用 - 从管道读取文本。",
  },
  "file-or-text": {
    message: () => "这可能是文件，也可能是看起来像文件的文本。",
    hint: () =>
      "请说明是哪种：--path <file> 遗忘工具关于该文件所说的内容和快照中的该文件，--text <text> 遗忘该文本出现的每一处。",
  },
};

const leftAsItWas: Readonly<Record<LeftAsItWas, string>> = {
  unasked: "没有向模型提出任何请求",
  uncaptured: "没有文件被更改，也没有捕获全部文件",
  unchanged: "没有做任何更改",
  unchosen: "没有选择会话",
  unexported: "没有导出任何内容",
  untouched: "没有动你的任何内容",
  unwritten: "没有写入任何内容",
};

/** Messages by the parser's error codes. For a code without an entry, the parser's own message is shown. */
const misreadTexts: Readonly<Record<string, (misread: Misread) => string>> = {
  "commander.unknownOption": ({ quoted }) => `未知选项：${quoted.join("、")}。`,
  "commander.missingArgument": ({ quoted }) => `缺少参数：${quoted.join("、")}。`,
  "commander.optionMissingArgument": ({ quoted }) => `选项缺少值：${quoted.join("、")}。`,
  "commander.excessArguments": ({ path }) => `“${path}”的参数太多。`,
  "commander.invalidArgument": ({ quoted: [option = "", given = ""], allowed }) =>
    `${option} 的值“${given}”无效。${allowed.length === 0 ? "" : `可选值：${allowed.join("、")}。`}`,
};

function misread(given: Misread): string {
  return misreadTexts[given.kind]?.(given) ?? `无法理解这个命令：${given.said}`;
}

function aboutMisread({ path, alike }: Misread): string {
  return alike.length === 0 ? seeHelp({ path }) : `是否想写 ${alike.join("、")}？`;
}

function meantText(meant: MeantCommand, command: CommandText): string {
  switch (meant) {
    case "init":
      return "在终端中，/init 会写一份 AGENTS.md。";
    case "mcp":
      return `MCP 服务器列在工作区的 .mcp.json 中，在你信任它之后启动：${command({ do: "config trust" })}。`;
    case "update":
      return "Worldline 不会自行更新：请按安装此版本的方式安装新版本。";
    default:
      return `是否想用：${command({ do: "command", name: meant.command })}？`;
  }
}

const MOST_LABELS = 10;

export const choosing: Translated<typeof englishChoosing> = {
  "two-sessions-named": {
    message: ({ session, other }) => `指明了两个会话：${session}，以及 --session 的 ${other}。`,
    hint: leaveOneOut,
  },
  "checkpoint-of-other-session": {
    message: ({ given, session }) => `“${given}”不在 --session 指明的会话 ${session} 中。`,
    hint: () => "请去掉 --session，或给出该会话中的检查点。",
  },
  "no-checkpoints-yet": {
    message: ({ workspace }) => `没有检查点：${workspace} 中还没有会话。`,
    hint: (_, { command }) => `开始一个：${command({ do: "checkpoint", label: "before refactoring" })}`,
  },
  "no-session-to-go-on": {
    message: ({ workspace }) => `${workspace} 中还没有可以继续的会话。`,
    hint: (_, { command }) => `开始一个：worldline，或带上提示词：${command({ do: "print", prompt: "..." })}`,
  },
  "no-session-of-an-agent": {
    message: ({ workspace }) => `${workspace} 中还没有智能体的会话。`,
    hint: (_, { command }) => `开始一个：${command({ do: "print", prompt: "why does the build fail?" })}`,
  },
  "no-session-in-workspace": {
    message: ({ workspace }) => `没有会话：${workspace} 中还没有。`,
    hint: (_, { command }) => `查看其他工作区的会话：${command({ do: "sessions list", all: true })}`,
  },
  "which-session": {
    message: () => "哪个会话？这里没有终端，无法从列表中选择。",
    hint: (_, { command }) =>
      `请指明它：-r <id>，或用最近的一个：-c。查看会话：${command({ do: "sessions list" })}`,
  },
  "which-checkpoint": {
    message: () => "哪个检查点？这里没有终端，无法从列表中选择。",
    hint: (_, { command }) =>
      `请指明一个：${command({ do: "rewind", to: { any: "number" } })}。查看检查点：${command({ do: "checkpoints" })}`,
  },
  "no-checkpoints": {
    message: () => "没有检查点。",
    hint: (_, { command }) =>
      `会话的每个提示词都会产生一个，也可以用：${command({ do: "checkpoint", label: { any: "label" } })}`,
  },
  "session-of-other-folder": {
    message: ({ session, workspace, here }) => `会话 ${session} 在 ${workspace} 中工作，而不是 ${here}`,
    hint: ({ here }, { command }) =>
      `请去掉 --workspace，或指明该文件夹的会话：${command({ do: "sessions list", workspace: here })}`,
  },
  "session-not-here": {
    message: ({ session, workspace }) => `会话 ${session} 在 ${workspace} 中工作，而不是这里。`,
    hint: ({ session }, { command }) => `请先到那里去：${command({ do: "open", session })}`,
  },
  "label-unknown-here": {
    message: ({ label }) => `这里没有名为“${label}”的检查点。`,
    hint: ({ known }, { command }) => {
      if (known.length === 0) return `还没有检查点有标签。查看它们的编号：${command({ do: "checkpoints" })}`;
      const some = known.slice(0, MOST_LABELS).map((each) => `“${each}”`);
      const more = known.length > MOST_LABELS ? "……" : "";
      return `已有的标签：${some.join("、")}${more}。查看：${command({ do: "checkpoints", all: true })}`;
    },
  },
  "not-a-checkpoint": {
    message: ({ given }) => `“${given}”没有指明检查点。`,
    hint: (_, { command }) =>
      `请给出从 1 开始的编号、session:number 或标签。查看：${command({ do: "checkpoints" })}`,
  },
  "label-like-a-number": {
    message: ({ label }) => `“${label}”不能作为标签：它看起来像检查点的编号。`,
    hint: () => "请选一个含有字母的短名称，例如“before refactoring”。",
  },
  "not-a-row": {
    message: ({ typed }) => `“${typed}”不是列表中的一行。`,
    hint: ({ last }) => `没有做任何更改。请输入 0 到 ${last} 的数字。`,
  },
  "no-entry-of-id": {
    message: ({ entry }) => `这个会话中没有条目 ${entry}。`,
    hint: () => "请在树中选择一行：/tree",
  },
  "no-checkpoint-before": {
    message: ({ entry }) => `在 ${entry} 处及之前没有检查点。`,
    hint: () => "请从更晚的位置分叉。",
  },
};

const seeFindHelp = (command: CommandText) => `查看：${command({ do: "help", of: "find" })}`;
const notRun = () => "命令没有运行。去掉 --strict 就会运行。";

export const running: Translated<typeof englishRunning> = {
  "no-command-to-run": {
    message: () => "没有要运行的命令。",
    hint: (_, { command }) =>
      `请写在 -- 之后，例如：${command({ do: "run", command: "npm audit fix --force" })}`,
  },
  "session-of-other-workspace": {
    message: ({ workspace }) => `该会话属于另一个工作区：${workspace}`,
    hint: () => "请去掉 --session，或用 --workspace 指明工作区。",
  },
  "command-unprotected": {
    message: ({ why }, { message }) => `命令运行前没有捕获文件，因此无法回退：${message(why)}`,
    hint: notRun,
  },
  "command-partly-protected": {
    message: ({ why }, { message }) => `命令运行前没有捕获全部文件：${message(why)}`,
    hint: notRun,
  },
  "command-not-started": {
    message: ({ command, why }) => `无法启动“${command}”：${whyNotStarted(why)}。`,
    hint: (_, { command }) =>
      `没有运行任何内容。只有 shell 认识的写法：${command({ do: "run", command: "sh -c '<command>'" })}`,
  },
  "no-test-to-run": {
    message: () => "没有要运行的测试。",
    hint: (_, { command }) => `请写在 -- 之后，例如：${command({ do: "find", test: "npm test" })}`,
  },
  "runs-out-of-range": {
    message: ({ most }) => `--runs 必须在 1 到 ${most} 之间。`,
    hint: (_, { command }) => seeFindHelp(command),
  },
  "timeout-too-short": {
    message: () => "--timeout 至少为 1 秒。",
    hint: (_, { command }) => seeFindHelp(command),
  },
  "since-of-other-workspace": {
    message: ({ given }) => `“${given}”是另一个工作区的检查点。`,
    hint: (_, { command }) => seeFindHelp(command),
  },
  "sample-brings-its-test": {
    message: () => "--sample 自带测试。",
    hint: () => "请去掉你的测试。",
  },
  "option-not-with-sample": {
    message: ({ option }) => `${option} 不能与 --sample 一起使用，后者在自己的项目上工作。`,
    hint: () => "请去掉其中一个。",
  },
  "option-of-sample": {
    message: ({ option }) => `${option} 只能与 --sample 一起使用。`,
    hint: () => "请加上 --sample，或去掉它。",
  },
  "sample-way-unknown": {
    message: ({ given }) => `示例不能以“${given}”的方式破坏。`,
    hint: ({ known, meant }) =>
      meant === undefined ? `已知的方式：${known.join("；")}` : `是否想写“${meant}”？`,
  },
};

function whyNotStarted(why: WhyNotStarted): string {
  if (why === "missing") return "找不到它，或找不到其首行指明的程序";
  return why === "forbidden" ? "不允许执行它" : why.system;
}
