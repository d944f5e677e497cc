import type { commandLine as english, LeftAsItWas, MeantCommand, Misread } from "../en/command-line.ts";
import type { Translated } from "../texts.ts";

const leaveOneOut = () => "请去掉其中一个。";
const seeHelp = ({ path }: { readonly path: string }) => `查看：${path} --help`;
const toTheAgent = (given: string, command: (words: string) => string) =>
  `要把它说给智能体：${command(`-- ${given}`)}`;

export const commandLine: Translated<typeof english> = {
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
      if (piped === "bundle") return `例如：${command("sessions import - < session.bundle")}`;
      return `这样它不会留在任何历史记录中：read -rs S; printf %s "$S" | ${command("forget - --yes")}`;
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
    hint: (_, { command }) => `请作为参数或通过管道给出，例如：${command('-p "why does the build fail?"')}`,
  },
  "fork-of-nothing": {
    message: () => "--fork 需要一个作为起点的会话。",
    hint: () => "请用 -r 指明它，或用 -c 选最近的一个。",
  },
  "option-not-a-rule": {
    message: ({ option, rule, problem }) => `${option} “${rule}”不是权限规则：${problem}。`,
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
    hint: (_, { command }) => `例如：${command('sessions search "connection pool"')}`,
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

/** By the parser's names for what is wrong; of what it has no name for here, its own words. */
const misreadTexts: Readonly<Record<string, (quoted: string) => string>> = {
  "commander.unknownOption": (quoted) => `未知选项：${quoted}。`,
  "commander.missingArgument": (quoted) => `缺少参数：${quoted}。`,
  "commander.optionMissingArgument": (quoted) => `选项缺少值：${quoted}。`,
};

function misread({ kind, said, quoted }: Misread): string {
  const text = quoted.length === 0 ? undefined : misreadTexts[kind];
  return text === undefined ? `无法理解这个命令：${said}` : text(quoted.join("、"));
}

function aboutMisread({ path, alike }: Misread): string {
  return alike.length === 0 ? seeHelp({ path }) : `是否想写 ${alike.join("、")}？`;
}

function meantText(meant: MeantCommand, command: (words: string) => string): string {
  switch (meant) {
    case "init":
      return "在终端中，/init 会写一份 AGENTS.md。";
    case "mcp":
      return `MCP 服务器列在工作区的 .mcp.json 中，在你信任它之后启动：${command("config trust")}。`;
    case "update":
      return "Worldline 不会自行更新：请按安装此版本的方式安装新版本。";
    default:
      return `是否想用：${command(meant.command)}？`;
  }
}
