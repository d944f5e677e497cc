import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportMarkdown } from "../../../src/index.ts";
import { exportMarkdown as exportTranscript } from "../../../src/machine/exchange/export-markdown.ts";
import { asWritten, codeSpan, fenced, quoted } from "../../../src/machine/exchange/markdown-blocks.ts";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { markdownTexts } from "../../../src/show/entry-text.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { begin, memoryPlace } from "./support.ts";

async function session(): Promise<Session> {
  const { deps } = memoryPlace();
  return begin(deps);
}

describe("a transcript in Markdown", () => {
  it("shows a user command as the user's", async () => {
    const one = await session();
    await one.checkpoint();
    await one.toolStart("shell-0123456789ab", "Shell", { input: { command: "npm test" } });
    await one.toolEnd("shell-0123456789ab", "error", "no\n[Exit code 1]");
    const text = await exportMarkdown(one);
    expect(text.slice(text.indexOf("## Checkpoint 1"))).toBe(`## Checkpoint 1

**The user ran**

\`\`\`sh
npm test
\`\`\`

**Result of \`Shell\`** (error)

\`\`\`
no
[Exit code 1]
\`\`\`
`);
  });

  it("folds what backtracks left, one inside the other, and repeats the prompts where a fork does not have it", async () => {
    const { deps } = memoryPlace();
    const one = await begin(deps);
    const reply = async (text: string, call?: string): Promise<void> => {
      const calls = call === undefined ? [] : [{ type: "tool-call" as const, call, name: "Read", input: {} }];
      await one.reply({ model: "m", parts: [{ type: "text", text }, ...calls] });
      if (call !== undefined) await one.toolEnd(call, "ok", "seen");
    };
    const goBack = async (to: number, note: string): Promise<void> => {
      await one.step();
      const call = { type: "tool-call", call: note, name: "Backtrack", input: {} } as const;
      await one.reply({ model: "m", parts: [call] });
      await one.requestBacktrack(note, { to, note, files: "keep" });
      expect(await one.endStep()).toMatchObject({ status: "carried-out" });
    };
    await one.prompt("First.");
    const first = await one.step();
    await reply("Answer one.");
    await one.prompt("Second.");
    const second = await one.step();
    await reply("I look.\n</details>", "a");
    await goBack(second, "inner");
    await one.step();
    await reply("Further.", "b");
    await goBack(first, "outer");
    await one.step();
    await reply("Answer two.");
    const text = await exportMarkdown(one);
    const order = [
      ...[
        "> First.",
        "<details>",
        "Answer one.",
        "> Second.",
        "<details>",
        "I look.\n&lt;/details>",
        "</details>",
        "> inner",
      ],
      ...["Further.", "</details>", "> outer", "Answer two."],
    ];
    let at = 0;
    for (const piece of order) {
      const found = text.indexOf(piece, at);
      expect([piece, found], text).toEqual([piece, expect.any(Number)]);
      expect(found, `${piece} in ${text}`).toBeGreaterThanOrEqual(at);
      at = found + piece.length;
    }
    expect(text.match(/I look\./gu)).toHaveLength(1);
    expect([text.match(/^<details>$/gmu), text.match(/^<\/details>$/gmu)].map((all) => all?.length)).toEqual([
      2, 2,
    ]);

    const fork = await viewSession(deps.store, await forkSession(deps, one));
    const copied = await exportMarkdown(fork);
    expect(copied).not.toContain("<details>");
    expect(copied).toContain("**Prompts sent before the agent went back**\n\n> Second.");
  });

  it("tells the branch from its title to its last word", async () => {
    const one = await session();
    await one.retitle("The *leak*");
    await one.prompt("Find the leak.\n# quickly");
    await one.step();
    await one.reply({
      parts: [
        { type: "thinking", text: "The pool?" },
        { type: "text", text: "I look." },
        { type: "tool-call", call: "c1", name: "Read", input: { path: "a.md" } },
      ],
      model: "scripted",
    });
    await one.toolEnd("c1", "ok", "```\nnot the end\n````");
    await one.todos([{ text: "fix it", status: "done" }]);
    await one.interrupt();
    await one.checkpoint("before lunch");
    const text = await exportMarkdown(one);
    expect(text.slice(text.indexOf("## Checkpoint 1"))).toBe(`## Checkpoint 1

**Prompt**

> Find the leak.
> # quickly

### Step 2 (context 0 %)

**Reply** (scripted)

*Thinking*

> The pool?

I look.

**Call to \`Read\`**

\`\`\`json
{
  "path": "a.md"
}
\`\`\`

**Result of \`Read\`** (ok)

\`\`\`\`\`
\`\`\`
not the end
\`\`\`\`
\`\`\`\`\`

**Todos**

- [x] fix it

*Interrupted by the user.*

## Checkpoint 3: before lunch
`);
    expect(text.startsWith(`# The \\*leak\\*\n\n- Session \`${one.id}\`\n`)).toBe(true);
  });

  it("says where the conversation went back and was compacted", async () => {
    const one = await session();
    for (const prompt of ["first", "second", "third", "fourth"]) {
      await one.prompt(prompt);
      await one.reply({ parts: [{ type: "text", text: `answer to ${prompt}` }], model: "scripted" });
    }
    await one.rewind(4);
    await one.compact({ summary: "All went well.", keep: 1 });
    const here = await exportMarkdown(one);
    expect(here).toContain("**Rewound to checkpoint 4** (conversation).");
    expect(here).toContain("> All went well.");
    expect(here).not.toContain("> fourth");
    expect(await exportMarkdown(one, { branch: "all" })).toContain("> fourth");
  });

  it("says once that a branch went on in another agent's session", async () => {
    const one = await session();
    const host = (hostSession: string) =>
      ({ kind: "host", host: "claude", hostSession, message: "m" }) as const;
    await one.prompt("first", host("sdk-1"));
    await one.append(host("sdk-1"));
    await one.prompt("second", host("sdk-2"));
    await one.rewind(2);
    await one.prompt("third", host("sdk-1"));
    await one.prompt("fourth", host("sdk-3"));
    const wentOn = async (branch: "here" | "all") =>
      (await exportMarkdown(one, { branch })).match(/Continued in claude, session `sdk-\d/gu);
    const went = (session: string) => `Continued in claude, session \`${session}`;
    expect(await wentOn("here")).toEqual(["sdk-1", "sdk-3"].map(went));
    expect(await wentOn("all")).toEqual(["sdk-1", "sdk-2", "sdk-3"].map(went));
  });

  it("is in the language of the texts that it is given", async () => {
    const one = await session();
    await one.prompt("Find the leak.");
    await one.step();
    await one.reply({ parts: [{ type: "text", text: "Here." }], model: "scripted", end: "interrupted" });
    await one.append({
      kind: "error",
      code: "SESSION_CLOSED",
      message: "Closed.",
      reason: "session-closed",
      params: {},
    });
    await one.toolStart("shell-0123456789ab", "Shell", { input: { command: "npm test" } });
    await one.toolEnd("shell-0123456789ab", "interrupted", "");
    await one.interrupt();
    const text = await exportTranscript(one, { branch: "here", texts: markdownTexts(zhCn) });
    expect(text.slice(0, text.indexOf("\n\n"))).toBe("# Find the leak.");
    expect(text.slice(text.indexOf("## "))).toBe(`## 检查点 1

**提示**

> Find the leak.

### 步骤 2（上下文 0%）

**回复**（scripted）

Here.

*回复在此处被截断。*

**错误 \`SESSION_CLOSED\`**

> 此会话已关闭。
> 请重新打开。

**用户运行了**

\`\`\`sh
npm test
\`\`\`

**\`Shell\` 的结果**（被中断）

\`\`\`

\`\`\`

*被用户中断。*
`);
  });

  it("has a generated title for a session without one", async () => {
    expect(await exportMarkdown(await session())).toMatch(/^# Untitled session\n/);
  });
});

describe("a block of Markdown", () => {
  it("law: no content closes its fence", () => {
    const content = fc.string({ unit: fc.constantFrom("`", "~", "\n", "\r", " ", "a", "\\") });
    fc.assert(
      fc.property(content, (text) => {
        const [first = "", ...rest] = fenced(text).split(/\r\n|\n|\r/);
        const closing = rest.findIndex((line) => line.trimEnd().startsWith(first) && /^`+\s*$/.test(line));
        expect(closing).toBe(rest.length - 1);
      }),
    );
  });

  it("law: every line of a quotation is quoted", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\n", "\r", ">", "a", "`") }), (text) => {
        for (const line of quoted(text).split(/\r\n|\n|\r/)) expect(line.startsWith(">")).toBe(true);
      }),
    );
  });

  it.each([
    ["an open fence", "look:\n```ts\nconst a = 1;"],
    ["a fence that only seems closed", "````\n```"],
    ["a comment", "<!-- and then nothing"],
    ["a script", "text\n  <script>"],
  ])("with %s is quoted", (_what, text) => {
    expect(asWritten(text)).toBe(quoted(text));
  });

  it.each(["plain", "```\nclosed\n```", "~~~\n```\n~~~", "`a` <b>", "```a``` inline"])(
    "stays as it is: %j",
    (text) => {
      expect(asWritten(text)).toBe(text);
    },
  );

  it("puts any text on one line of code", () => {
    expect(codeSpan("a`b\nc")).toBe("``a`b c``");
    expect(codeSpan("`")).toBe("`` ` ``");
  });
});
