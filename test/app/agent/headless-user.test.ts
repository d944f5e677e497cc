import { describe, expect, it } from "vitest";
import { type AskedDenial, headlessUser } from "../../../src/app/agent/headless-user.ts";
import type { PermissionRequest } from "../../../src/ports/person.ts";

const { signal } = new AbortController();

const request: PermissionRequest = {
  call: "c1",
  tool: "Bash",
  input: { command: "npm test\nnpm run lint" },
  about: "npm test npm run lint",
  reason: { code: "outside-workspace", path: "/etc/hosts" },
  why: "it is outside the workspace",
  help: "mode",
  rule: "Bash(npm test:*)",
};

const words = {
  refuseCall: ({ tool }: PermissionRequest) => ({ reason: `Nobody allows ${tool}.` }),
  refusePlan: () => ({ reason: "Nobody approves plans." }),
};

describe("a user who cannot be asked", () => {
  it("declines every call and plan, and leaves questions unanswered", async () => {
    const denied: AskedDenial[] = [];
    const user = headlessUser({ ...words, onDenied: (denial) => denied.push(denial) });
    expect(await user.allow(request, signal)).toEqual({ answer: "no", reason: "Nobody allows Bash." });
    expect(await user.approve("a plan", signal)).toEqual({ answer: "no", reason: "Nobody approves plans." });
    expect(await user.answer([], signal)).toBe(undefined);
    const { call, tool, why, rule } = request;
    expect(denied).toEqual([{ call, tool, about: "npm test\nnpm run lint", why, rule }]);
  });

  it("names no rule if none would help", async () => {
    const denied: AskedDenial[] = [];
    const user = headlessUser({ ...words, onDenied: (denial) => denied.push(denial) });
    await user.allow({ ...request, help: "none" }, signal);
    expect(denied).toEqual([expect.not.objectContaining({ rule: expect.anything() })]);
  });
});

describe("a user who cannot be asked, if no one collects the denied calls", () => {
  it("declines every call all the same", async () => {
    expect(await headlessUser(words).allow(request, signal)).toEqual({
      answer: "no",
      reason: "Nobody allows Bash.",
    });
  });
});

describe("a program that answers for the user", () => {
  it("is asked first, and what it allows is not denied", async () => {
    const denied: AskedDenial[] = [];
    const answers = {
      permission: () => ({ answer: "once" }) as const,
      question: async () => ["yes"],
      plan: () => ({ answer: "approved", mode: "auto" }) as const,
    };
    const user = headlessUser({ ...words, answers, onDenied: (denial) => denied.push(denial) });
    expect(await user.allow(request, signal)).toEqual({ answer: "once" });
    expect(await user.answer([], signal)).toEqual(["yes"]);
    expect(await user.approve("a plan", signal)).toEqual({ answer: "approved", mode: "auto" });
    expect(denied).toEqual([]);
  });
});
