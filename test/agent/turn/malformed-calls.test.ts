import { describe, expect, it } from "vitest";
import type { Wire } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const nested = (levels: number): string =>
  `{"file_path":"a","content":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("a call whose arguments are nested deeply", () => {
  it.each(["anthropic", "chat", "responses", "ollama"] as const satisfies readonly Wire[])(
    "costs that call and not the turn, on the wire %s",
    async (wire) => {
      // For Ollama, the scripted server sends the arguments as an object and cannot nest it more deeply.
      const levels = wire === "ollama" ? [150, 250, 2_000] : [150, 250, 100_000];
      const { agent, server, read } = await stage({
        wire,
        responder: (_request, index) =>
          index > 0
            ? { text: "Gone on." }
            : {
                calls: [
                  ...levels.map((each) => ({ name: "Write", rawArguments: nested(each) })),
                  { name: "Write", input: { file_path: "b.txt", content: "fine" } },
                ],
              },
      });
      expect(await agent.prompt("write")).toMatchObject({ outcome: "done", answer: "Gone on." });
      expect(read("b.txt")).toBe("fine");
      const results = server.requests[1]?.messages.flatMap((message) => message.results) ?? [];
      expect(results.map(({ text }) => text.slice(0, 45))).toEqual([
        "Invalid arguments: content: expected string, ",
        "Invalid arguments: not JSON, not an object, o",
        "Invalid arguments: not JSON, not an object, o",
        expect.stringContaining("b.txt"),
      ]);
      expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    },
  );
});
