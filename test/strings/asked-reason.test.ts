import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/agent/permissions/decide.ts";
import { askedReason } from "../../src/strings/zh-cn/asked-reason.ts";
import { decideCommand, decidePath, decideTool, decideUrl } from "../agent/permissions/asking.ts";

const why = (decision: Decision): string => (decision.decision === "ask" ? askedReason(decision.why) : "");

describe("why a call is asked about", () => {
  it("is told in Chinese, as the permissions word it", () => {
    expect([
      why(decidePath("Write", "src/a.ts", { mode: "manual" })),
      why(decideCommand("npm test", { mode: "accept-edits" })),
      why(decideTool("Write", { mode: "manual" })),
      why(decidePath("Read", "/etc/hosts", { mode: "auto" })),
      why(decidePath("Write", ".git/config", { mode: "auto" })),
      why(decideUrl("https://example.com/x", { mode: "manual" })),
      why(decideTool("mcp__a__b", { mode: "manual" })),
      why(decidePath("Edit", "src/a.ts", { mode: "auto", ask: ["Edit(src/**)"] })),
    ]).toEqual([
      "手动模式下，改动文件前会询问",
      "自动接受编辑模式下，运行命令前会询问",
      "手动模式下，使用 Write 前会询问",
      "在工作区之外：/etc/hosts",
      ".git 能让程序运行，任何模式下改动它都会询问",
      "会访问网络：https://example.com/x",
      "这是 MCP 服务器的工具",
      "规则 Edit(src/**) 要求询问",
    ]);
  });

  it("is told as it is where it is nobody's known word", () => {
    expect(askedReason("because")).toBe("because");
  });
});
