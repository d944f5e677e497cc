import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReceivedRequest } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const isSub = (request: ReceivedRequest): boolean => request.system.includes("sub-agent");

describe("a sub-agent", () => {
  it("changes files that the session it works for takes back, outside the workspace too", async () => {
    let outside = "";
    const { agent, session, workspace, read, write } = await stage({
      rules: { allow: ["Edit(//**)", "Read(//**)"] },
      responder: (request) => {
        const turns = request.messages.filter(({ role }) => role === "assistant").length;
        if (!isSub(request)) {
          return turns === 0
            ? { calls: [{ name: "Task", input: { description: "edit", prompt: "edit both" } }] }
            : { text: "done" };
        }
        if (turns === 0) {
          return {
            calls: [
              { name: "Read", input: { file_path: "a.txt" } },
              { name: "Read", input: { file_path: outside } },
            ],
          };
        }
        if (turns > 1) return { text: "edited" };
        const edit = { old_string: "old", new_string: "new" };
        return {
          calls: [
            { name: "Edit", input: { file_path: "a.txt", ...edit } },
            { name: "Edit", input: { file_path: outside, ...edit } },
          ],
        };
      },
    });
    outside = join(dirname(workspace), "elsewhere", "b.txt");
    mkdirSync(dirname(outside));
    writeFileSync(outside, "old\n");
    write("a.txt", "old\n");
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done", answer: "done" });
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["new\n", "new\n"]);
    await session.rewind({ to: 1, scope: "files" });
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["old\n", "old\n"]);
    await session.redo();
    expect([read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["new\n", "new\n"]);
    expect(existsSync(outside)).toBe(true);
  });

  it("works beside another one, each in a log of its own that names the call", async () => {
    const { agent, session, events } = await stage({
      files: "off",
      responder: (request) => {
        if (isSub(request)) return { text: `report on ${request.messages[0]?.text.split("\n")[0]}` };
        return request.messages.length === 1
          ? {
              calls: ["one", "two"].map((prompt) => ({
                name: "Task",
                input: { description: prompt, prompt },
              })),
            }
          : { text: "both are in" };
      },
    });
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done", steps: 2 });
    const ends = (await session.history()).flatMap((entry) => (entry.kind === "tool-end" ? [entry] : []));
    const texts = ends.map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : ""));
    expect(new Set(texts)).toEqual(new Set(["report on one", "report on two"]));
    const headers = events.flatMap((event) =>
      event.type === "sub-agent" && event.event.type === "turn-end" ? [event] : [],
    );
    expect(new Set(headers.map(({ session: id }) => id)).size).toBe(2);
    expect(new Set(headers.map(({ call }) => call))).toEqual(new Set(ends.map(({ call }) => call)));
  });
});
