import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/agent/permissions/decide.ts";
import {
  callReasonsInEnglish,
  callReasonText,
  callReasons as english,
} from "../../src/strings/call-reasons.ts";
import { callReasons as chinese } from "../../src/strings/zh-cn/call-reasons.ts";
import { decideCommand, decidePath, decideTool, decideUrl } from "../agent/permissions/asking.ts";

const decisions = [
  decidePath("Write", "src/a.ts", { mode: "manual" }),
  decideCommand("npm test", { mode: "accept-edits" }),
  decideTool("Write", { mode: "manual" }),
  decidePath("Read", "/etc/hosts", { mode: "auto" }),
  decidePath("Write", ".git/config", { mode: "auto" }),
  decideUrl("https://example.com/x", { mode: "manual" }),
  decideTool("mcp__a__b", { mode: "manual" }),
  decidePath("Edit", "src/a.ts", { mode: "auto", ask: ["Edit(src/**)"] }),
  decidePath("Edit", "src/a.ts", { mode: "auto", deny: ["Edit(src/**)"] }),
  decideCommand("npm test", { mode: "plan" }),
];

const reasonOf = (decision: Decision) => (decision.decision === "allow" ? undefined : decision.reason);

describe("why a call is asked about or denied", () => {
  it("is rendered in Chinese", () => {
    const told = decisions.map((each) => callReasonText(chinese, reasonOf(each) ?? { code: "" }));
    expect(told).toEqual([
      "手动模式下，改动文件前会询问",
      "自动接受编辑模式下，运行命令前会询问",
      "手动模式下，使用 Write 前会询问",
      "在工作区之外：/etc/hosts",
      ".git 能让程序运行，任何模式下改动它都会询问",
      "会访问网络：https://example.com/x",
      "这是 MCP 服务器的工具",
      "规则 Edit(src/**) 要求询问",
      "规则 Edit(src/**) 不允许",
      "计划模式：计划获批之前，不能改动或运行任何东西",
    ]);
  });

  it("is the same for models and in logs as a sentence", () => {
    for (const decision of decisions) {
      const text = callReasonText(callReasonsInEnglish, reasonOf(decision) ?? { code: "" });
      expect(decision).toMatchObject({ why: text });
    }
  });

  it("speaks to the user as you", () => {
    expect(callReasonText(english, { code: "declined" })).toBe("You declined.");
  });

  it("has no words for a code of a newer version", () => {
    expect(callReasonText(english, { code: "toString" })).toBeUndefined();
  });
});
