import { modeName } from "./measures.ts";

type Told = (first: string, second: string) => string;

/** The reasons for a permission question, which are English because models read them too, by how they are written there. */
const REASONS: readonly (readonly [RegExp, Told])[] = [
  [/^(\S+) mode asks before files are changed$/u, (mode) => `${modeName(mode)}模式下，改动文件前会询问`],
  [/^(\S+) mode asks before commands are run$/u, (mode) => `${modeName(mode)}模式下，运行命令前会询问`],
  [
    /^(\S+) mode asks before (.+) is used$/u,
    (mode, tool) => `${modeName(mode)}模式下，使用 ${tool} 前会询问`,
  ],
  [/^outside the workspace: (.+)$/su, (path) => `在工作区之外：${path}`],
  [/^(.+) can make programs run, so .+$/su, (path) => `${path} 能让程序运行，任何模式下改动它都会询问`],
  [/^it goes out to the network: (.+)$/su, (url) => `会访问网络：${url}`],
  [/^it is a tool of an MCP server$/u, () => "这是 MCP 服务器的工具"],
  [/^by the rule (.+)$/su, (rule) => `规则 ${rule} 要求询问`],
];

/** One that nobody has translated is shown as it is. */
export function askedReason(why: string): string {
  for (const [pattern, told] of REASONS) {
    const found = pattern.exec(why);
    if (found !== null) return told(found[1] ?? "", found[2] ?? "");
  }
  return why;
}
