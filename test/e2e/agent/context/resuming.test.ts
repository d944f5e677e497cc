import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { agentMachine, ofKind, overEveryWire, refusedOf, resultsIn, textOf } from "../support.ts";

const call = (name: string, input: Record<string, never> | object): ScriptedReply => ({
  calls: [{ name, input: input as Record<string, never> }],
});
const edit = call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
const todo = (content: string) => call("TodoWrite", { todos: [{ content, status: "in_progress" }] });

describe("a session that continues over every wire", () => {
  overEveryWire(
    "begins with the very bytes that were sent before, whatever has happened to AGENTS.md",
    async (wire) => {
      const here = await agentMachine(
        scripted(
          call("Glob", { pattern: "*" }),
          { thinking: "Hm.", text: "One." },
          { text: "Two." },
          { text: "New." },
        ),
        { wire, files: { "AGENTS.md": "Always be brief.\n" } },
      );
      const { session } = await here.ask("first");
      here.write("AGENTS.md", "Never be brief.\n");
      expect(await here.ask("second", "-r", session.slice(0, 4))).toMatchObject({
        code: 0,
        session,
        answer: "Two.",
      });
      expect(await here.ask("elsewhere")).toMatchObject({ code: 0, answer: "New." });
      expect(refusedOf(here)).toEqual([]);
      const [, second, third, fourth] = here.server.requests;
      expect(second?.system).toContain("Always be brief.");
      expect(third?.system).toBe(second?.system);
      expect(fourth?.system).toContain("Never be brief.");
      const before = second?.messages ?? [];
      expect(third?.messages.slice(0, before.length)).toEqual(before);
      expect(third?.cachedTokens).toBeGreaterThan((second?.inputTokens ?? 0) * 0.9);
    },
  );
});

describe("a session that continues", () => {
  it("is the last one of the workspace with -c, and stays as it was with --fork", async () => {
    const here = await agentMachine(
      scripted({ text: "One." }, { text: "Two." }, { text: "Aside." }, { text: "Three." }),
    );
    const { session } = await here.ask("first");
    expect(await here.ask("second", "-c")).toMatchObject({ code: 0, session });
    const before = await here.log("--session", session);
    const forked = await here.ask("aside", "-r", session, "--fork");
    expect(forked).toMatchObject({ code: 0, answer: "Aside." });
    expect(forked.session).not.toBe(session);
    expect(await here.log("--session", session)).toEqual(before);
    const shown = here.server.requests[2];
    for (const text of ["first", "One.", "second", "Two.", "aside"]) expect(textOf(shown)).toContain(text);
    expect(await here.ask("third", "-r", session)).toMatchObject({ code: 0, session, answer: "Three." });
    expect(textOf(here.server.requests[3])).not.toContain("aside");
    expect(refusedOf(here)).toEqual([]);
  });

  it("knows which files were read, until it is taken back to before", async () => {
    const here = await agentMachine(
      scripted(call("Read", { file_path: "a.txt" }), { text: "Read." }, edit, { text: "Edited." }, edit, {
        text: "Refused.",
      }),
      { files: { "a.txt": "one\n" } },
    );
    await here.ask("read it");
    expect(await here.ask("edit it", "-c")).toMatchObject({ code: 0, answer: "Edited." });
    expect(here.read("a.txt")).toBe("two\n");
    await here.data("rewind", "1", "--scope", "both", "--yes");
    expect(here.read("a.txt")).toBe("one\n");
    expect(await here.ask("edit it", "-c")).toMatchObject({ code: 0, answer: "Refused." });
    expect(here.read("a.txt")).toBe("one\n");
    expect(resultsIn(here.server.requests.at(-1)).at(-1)).toMatch(/read/iu);
    expect(refusedOf(here)).toEqual([]);
  });

  it("refuses to edit what was changed outside since it was read", async () => {
    const here = await agentMachine(
      scripted(call("Read", { file_path: "a.txt" }), { text: "Read." }, edit, { text: "Not edited." }),
      { files: { "a.txt": "one\n" } },
    );
    await here.ask("read it");
    here.write("a.txt", "one, and more of mine\n");
    expect(await here.ask("edit it", "-c")).toMatchObject({ code: 0, answer: "Not edited." });
    expect(here.read("a.txt")).toBe("one, and more of mine\n");
    expect(resultsIn(here.server.requests.at(-1)).at(-1)).toMatch(/changed|read it again/iu);
  });

  it("has the todos of its current branch", async () => {
    const here = await agentMachine(
      scripted(todo("find the leak"), { text: "Found." }, todo("fix the leak"), { text: "Fixed." }),
    );
    await here.ask("find it");
    const { session } = await here.ask("fix it", "-c");
    const todos = async () => JSON.stringify((await here.data("resume", session)).open);
    expect(await todos()).toContain("fix the leak");
    const prompts = ofKind(await here.log(), "checkpoint").filter(({ on }) => on === "prompt");
    await here.data("rewind", String(prompts.at(-1)?.number), "--scope", "conversation", "--yes");
    expect(await todos()).toContain("find the leak");
    expect(await todos()).not.toContain("fix the leak");
  });

  it("says what is done, open and next before it continues", async () => {
    const here = await agentMachine(
      scripted(todo("find the leak"), { text: "Found." }, { text: "Going on." }),
    );
    await here.ask("find it");
    const said = await here.worldline(["-c", "-p", "go on"]);
    expect(said).toMatchObject({ code: 0, stdout: "Going on.\n" });
    expect(said.stderr).toContain("find the leak");
  });
});
