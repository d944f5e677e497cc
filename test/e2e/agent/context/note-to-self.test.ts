import { describe, expect } from "vitest";
import type { Json, JsonObject } from "../../../../src/record/parts.ts";
import { type ReceivedRequest, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { agentMachine, ofKind, overEveryWire, refusedOf, textOf } from "../support.ts";

const LINES = 10_000;
const LARGE = Array.from(
  { length: LINES },
  (_, line) => `${line} ${line % 333 === 0 ? "ERROR timeout" : "ok"}`,
).join("\n");
const NOTE =
  "large_data.txt is too large to keep: 10,000 lines, 30 of them errors (0.3 %), all of them timeouts.";

const analysis: readonly ScriptedReply[] = [
  { calls: [{ name: "Read", input: { file_path: "large_data.txt", limit: 2000 } }] },
  {
    calls: [
      { name: "Backtrack", input: { checkpoint_id: 2, note: NOTE, rationale: "the file fills the context" } },
    ],
  },
  { text: "The error rate is 0.3 %; the errors are timeouts." },
];

/** The blocks of a request in the order in which a provider's cache reads them, without cache markers. */
function blocksOf({ body }: ReceivedRequest): readonly string[] {
  const { tools = [], system = [], messages, input } = withoutMarks(body) as JsonObject;
  const said = (messages ?? input ?? []) as readonly JsonObject[];
  const blocks = said.flatMap((message): readonly Json[] => {
    const { content, ...rest } = message;
    return Array.isArray(content) ? content.map((block) => ({ ...rest, block })) : [message];
  });
  return [tools, system, ...blocks].map((block) => JSON.stringify(block));
}

function withoutMarks(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "cache_control");
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutMarks(each as Json)]));
}

describe("a note to an earlier self over every wire", () => {
  overEveryWire(
    "replaces a large file, after the very bytes that were sent before, and can be undone",
    async (wire) => {
      const here = await agentMachine(scripted(...analysis, { text: "As I said." }), {
        wire,
        files: { "large_data.txt": LARGE },
      });
      const { server, ask, log, context, data, worldline } = here;
      const answer = await ask("analyse large_data.txt for me");
      expect(answer).toMatchObject({
        code: 0,
        outcome: "done",
        answer: "The error rate is 0.3 %; the errors are timeouts.",
        steps: 1,
        backtracks: 1,
      });

      const [first, second, third] = server.requests as [ReceivedRequest, ReceivedRequest, ReceivedRequest];
      expect(refusedOf(here)).toEqual([]);
      expect(blocksOf(second).slice(0, blocksOf(first).length)).toEqual(blocksOf(first));
      expect(blocksOf(third).slice(0, blocksOf(first).length)).toEqual(blocksOf(first));
      expect(textOf(second)).toContain("666 ERROR timeout");
      expect(textOf(third)).not.toContain("ERROR timeout");
      expect(textOf(third)).toContain(NOTE);
      expect(third.bytes.length).toBeLessThan(second.bytes.length - 20_000);
      expect(third.cachedTokens).toBeGreaterThan(0);

      const backtracks = ofKind(await log(), "backtrack");
      expect(backtracks).toMatchObject([
        { to: 2, note: NOTE, rationale: "the file fills the context", times: 1, prompts: [], files: "keep" },
      ]);
      expect(await context()).not.toContain("ERROR timeout");

      // The model has answered since: nothing is redone without an id, and with an id only after
      // confirmation.
      expect(await worldline(["redo", "--json"])).toMatchObject({
        code: 1,
        stdout: expect.stringContaining("NOTHING_TO_REDO"),
      });
      const name = String(backtracks[0]?.id);
      expect(await worldline(["redo", name, "--json"])).toMatchObject({ code: 42 });
      expect(await context()).not.toContain("ERROR timeout");
      await data("redo", name, "--yes");
      const redone = await context();
      expect(redone).toContain("ERROR timeout");
      expect(redone).toContain("no longer holds");
      expect(await ask("and again?", "-c")).toMatchObject({ code: 0, answer: "As I said." });
      expect(refusedOf(here)).toEqual([]);
      expect(textOf(server.requests[3])).toContain("666 ERROR timeout");
      expect(textOf(server.requests[3])).toContain("no longer holds");
    },
  );
});
