import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../../../src/ports/person.ts";
import { en } from "../../../src/strings/en.ts";
import { askPermission, permissionDialog } from "../../../src/tui/dialogs/permission.ts";
import type { CommandContext } from "../../../src/tui/flows/command-context.ts";
import { asker } from "./asker.ts";
import { play, roomOf, zh } from "./played.ts";

const request: PermissionRequest = {
  call: "c1",
  tool: "Edit",
  input: { file: "src/pool.ts" },
  about: "src/pool.ts",
  reason: { code: "mode-asks-files", mode: "manual" },
  why: "manual mode asks before files are changed",
  help: "mode",
  diff: [
    "--- a/src/pool.ts",
    "+++ b/src/pool.ts",
    "@@ -1 +1,6 @@",
    "-old",
    "+one",
    "+two",
    "+three",
    "+four",
  ].join("\n"),
  rule: "Edit(src/**)",
};

describe("a question for permission", () => {
  it("says when a sub-agent asks", () => {
    const asked = play(permissionDialog(en, { ...request, by: "sub-agent" }), []).lines;
    expect(asked[0]).toBe("Allow Edit? (requested by a sub-agent)");
  });

  it("shows what, why, the diff, and four answers", () => {
    expect(play(permissionDialog(en, request), []).lines).toEqual([
      "Allow Edit?",
      "  src/pool.ts",
      "Needs permission: manual mode asks before files are changed",
      "--- a/src/pool.ts",
      "+++ b/src/pool.ts",
      "@@ -1 +1,6 @@",
      "-old",
      "+one",
      "+two",
      "+three",
      "+four",
      "> 1. Yes, once",
      "  2. Yes, for this session: Edit(src/**)",
      "  3. No",
      "  4. No, and tell the agent what to do instead",
      "1-4 · Ctrl+E show all · Esc decline",
    ]);
  });

  it("keeps its answers where rows are few, and cuts the diff", () => {
    expect(play(permissionDialog(zh, request), [], roomOf(40, 10, zh)).lines).toEqual([
      "允许 Edit 吗？",
      "  src/pool.ts",
      "询问原因：手动模式下，改动文件前会询问",
      "⋯ 还有 7 行：Ctrl+E",
      "+four",
      "> 1. 是，仅此一次",
      "  2. 是，本会话内：Edit(src/**)",
      "  3. 否",
      "  4. 否，并告诉智能体该怎么做",
      "1-4 · Ctrl+E 全文 · Esc 拒绝",
    ]);
    expect(play(permissionDialog(en, request), ["4"], roomOf(40, 4)).lines).toHaveLength(4);
  });

  it("answers once, for the session, and no", async () => {
    expect(await askPermission(asker([["1"]]), request)).toEqual({ answer: "once" });
    expect(await askPermission(asker([["2"]]), request)).toEqual({ answer: "session", rule: "Edit(src/**)" });
    const no = { answer: "no", reason: "The user declined.", because: { code: "declined" } };
    expect(await askPermission(asker([["3"]]), request)).toEqual(no);
    expect(await askPermission(asker([["escape"]]), request)).toEqual(no);
  });

  it("takes the reason of a no, which may not be empty, and Esc back from it", async () => {
    expect(await askPermission(asker([["4", "enter", "'use the pool'", "enter"]]), request)).toEqual({
      answer: "no",
      reason: "use the pool",
    });
    expect(await askPermission(asker([["4", "'x'", "escape", "1"]]), request)).toEqual({ answer: "once" });
  });

  it("shows the whole diff with Ctrl+E, and asks again after that", async () => {
    const context = asker([["ctrl+e"], ["escape"], ["1"]]);
    expect(await askPermission(context, request)).toEqual({ answer: "once" });
    expect(context.asked.map((title) => title.replace(/\s+\d.*$/u, ""))).toEqual([
      "Allow Edit?",
      "Edit src/pool.ts",
      "Allow Edit?",
    ]);
  });

  it("shows what a terminal would act on or swallow, and all lines of a command", () => {
    const hidden = {
      ...request,
      diff: "@@ -0,0 +1,2 @@\n+a\u001b]0;$(rm x)\u0007b\r\n+c\u202ed\u009be",
      reason: { code: "outside-workspace", path: "\u001b[8m/x" } as const,
    };
    expect(play(permissionDialog(en, hidden), []).lines.slice(2, 6)).toEqual([
      "Needs permission: outside the workspace: ␛[8m/x",
      "@@ -0,0 +1,2 @@",
      "+a␛]0;$(rm x)␇b␍",
      "+c<U+202E>d<U+009B>e",
    ]);
  });

  it("lays the whole change out once for a width", async () => {
    let drawn = 0;
    const context = asker([["down", "ctrl+e"], ["end", "escape"], ["1"]]);
    await askPermission(context, request, (text) => {
      drawn += 1;
      return text.split("\n");
    });
    expect(drawn).toBe(1);
  });

  it("asks about the command as it is, and not about its one line", async () => {
    const command = "# look around\nrm -rf build\u001b[1A";
    const seen: string[] = [];
    const { ask, strings } = asker([["1"]]);
    const looking: Pick<CommandContext, "ask" | "strings"> = {
      strings,
      ask: async (dialog) => {
        seen.push(...play(dialog, []).lines.slice(0, 3));
        return ask(dialog);
      },
    };
    const { diff: _diff, ...plain } = request;
    await askPermission(looking, { ...plain, tool: "Bash", input: { command }, about: "# look around" });
    expect(seen).toEqual(["Allow Bash?", "  # look around↵", "  rm -rf build␛[1A"]);
  });
});
