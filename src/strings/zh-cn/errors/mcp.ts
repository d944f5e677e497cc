import type { mcpFaults as englishFaults, mcpServers as englishServers } from "../../en/errors/mcp.ts";
import type { Translated } from "../../errors/texts.ts";

export const mcpServers: Translated<typeof englishServers> = {
  "mcp-variables-missing": {
    message: ({ server, variables }) => `MCP 服务器 ${server} 需要的变量没有设置：${variables.join("、")}。`,
  },
  "mcp-not-started": {
    message: ({ server, problem, said }, { message }) =>
      `MCP 服务器 ${server} 未能启动：${message(problem)}。${said === "" ? "" : `它的输出：${said}`}`,
  },
  "mcp-tools-unusable": {
    message: ({ server, tools, more }, { message }) => {
      const named = tools.map(({ name, problem }) => {
        if (name === undefined) return message(problem);
        return `${name === "" ? "一个没有名称的工具" : name}（${message(problem)}）`;
      });
      return `MCP 服务器 ${server} 列出了无法使用的工具：${named.join("、")}${more === 0 ? "" : `，另有 ${more} 个`}。`;
    },
  },
  "mcp-ended": { message: ({ server }) => `MCP 服务器 ${server} 已退出，它的工具无法再使用。` },
};

export const mcpFaults: Translated<typeof englishFaults> = {
  "mcp-silent": { message: ({ milliseconds }) => `${milliseconds} 毫秒内没有应答` },
  "mcp-interrupted": { message: () => "已中断" },
  "mcp-ended-early": { message: () => "服务器已退出" },
  "mcp-answers-unread": { message: () => "它发送请求，却不读取应答" },
  "mcp-line-too-long": { message: ({ most }) => `它发送的一行超过 ${most} 个字符` },
  "mcp-not-messages": { message: () => "它输出的大部分内容不是消息" },
  "mcp-tool-no-object": { message: () => "不是对象" },
  "mcp-tool-too-deep": { message: () => "schema 嵌套过深" },
  "mcp-tool-too-long": { message: ({ most }) => `超过 ${most} 个字符` },
  "mcp-tool-unnamed": { message: () => "名称为空" },
  "mcp-tool-unclear": { message: () => "无法识别" },
  "mcp-tools-too-many": { message: ({ count, most }) => `另外 ${count} 个（最多使用 ${most} 个）` },
};
