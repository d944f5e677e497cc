import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { agentMachine, refusedOf, resultsIn, textOf, wires } from "../support.ts";

const look = (thinking: string): ScriptedReply => ({
  thinking,
  text: "I look.",
  calls: [
    { name: "Glob", input: { pattern: "*" } },
    { name: "Read", rawArguments: '{"file_path": ' },
  ],
});

describe("a session", () => {
  it("continues with a model of another provider, and returns, without a request that is refused", async () => {
    const order = [...wires, "ollama", ...wires.toReversed()] as const;
    const replies = order.flatMap((wire) => [look(`Thought over ${wire}.`), { text: `Said over ${wire}.` }]);
    const here = await agentMachine(scripted(...replies), { files: { "a.txt": "a\n" } });
    for (const wire of order) Object.assign(here.environment, here.server.environment(wire));
    for (const [index, wire] of order.entries()) {
      const answer = await here.ask(
        `over ${wire}`,
        "--model",
        here.server.modelFor(wire),
        ...(index === 0 ? [] : ["-c"]),
      );
      expect(answer).toMatchObject({ code: 0, answer: `Said over ${wire}.` });
    }
    expect(refusedOf(here)).toEqual([]);
    const last = here.server.requests.at(-1);
    for (const wire of order) expect(textOf(last)).toContain(`Said over ${wire}.`);
    expect(resultsIn(last).length).toBe(2 * order.length);
  });
});
