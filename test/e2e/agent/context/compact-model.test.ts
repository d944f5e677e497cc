import { describe, expect, it } from "vitest";
import type { ReceivedRequest, ScriptedReply, Wire } from "../../../../src/testing/testing.ts";
import { agentMachine, ofKind, overEveryWire, refusedOf } from "../support.ts";

const ANSWER = "It is in src/pool.ts, line 40. ".repeat(60);
const GOOD = "Goal: find the leak.\nFacts: it is in src/pool.ts, line 40.\nNext: fix it.";

/** A session that is long enough to summarize, answered by the scripted model. */
async function talked(
  options: {
    readonly wire?: Wire;
    readonly summary?: ScriptedReply;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const { wire = "anthropic", summary = { text: GOOD }, environment = {} } = options;
  const asksForSummary = ({ tools }: ReceivedRequest) => tools.length === 0;
  const here = await agentMachine((request) => (asksForSummary(request) ? summary : { text: ANSWER }), {
    wire,
    environment: { WORLDLINE_COMPACTION_KEEP: "1", ...environment },
  });
  await here.ask("find the leak");
  await here.ask("are you sure?", "-c");
  const main = here.server.modelFor(wire);
  const [provider = ""] = main.split("/");
  const asked = here.server.requests.length;
  /** The model of each request after those two turns. */
  const modelsAsked = (): readonly string[] => here.server.requests.slice(asked).map(({ model }) => model);
  return { ...here, main, provider, modelsAsked };
}

describe("worldline compact --model", () => {
  overEveryWire("asks that model for the summary, and no later turn", async (wire) => {
    const { provider, main, modelsAsked, ...here } = await talked({ wire });
    const named = `${provider}/brief-writer`;
    const said = await here.worldline(["compact", "--model", named, "--json"]);
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([0, { changed: true, model: named }]);
    expect(modelsAsked()).toEqual(["brief-writer"]);
    expect(ofKind(await here.log(), "compaction")).toMatchObject([
      { model: named, summary: expect.stringContaining(GOOD) },
    ]);
    expect(await here.ask("then fix it", "-c")).toMatchObject({ code: 0, outcome: "done", model: main });
    expect(modelsAsked()).toEqual(["brief-writer", main.slice(provider.length + 1)]);
    expect(refusedOf(here)).toEqual([]);
  });

  it("counts for more than the setting compaction.model, even where that names no model", async () => {
    for (const setting of ["anthropic/of-the-setting", "no-such-provider/model"]) {
      const here = await talked({ environment: { WORLDLINE_COMPACTION_MODEL: setting } });
      const said = await here.worldline(["compact", "--model", "anthropic/brief-writer"]);
      expect([setting, said.code, here.modelsAsked()]).toEqual([setting, 0, ["brief-writer"]]);
      expect(said.stdout).toContain("anthropic/brief-writer");
      expect(said.stderr).not.toContain("warning");
    }
  });

  it("asks no other model if the named one writes no summary, and leaves the context unchanged", async () => {
    const here = await talked({
      summary: { misbehave: { do: "empty" } },
      environment: { WORLDLINE_COMPACTION_MODEL: "anthropic/of-the-setting" },
    });
    const before = await here.context();
    const said = await here.worldline(["compact", "--model", "anthropic/brief-writer"]);
    expect(said).toMatchObject({ code: 1, stdout: "" });
    expect(said.stderr).toContain("The context is unchanged.");
    expect(here.modelsAsked().length).toBeLessThanOrEqual(3);
    expect(new Set(here.modelsAsked())).toEqual(new Set(["brief-writer"]));
    expect(await here.context()).toBe(before);
  });

  it("is refused for an unknown model before anything is asked or written", async () => {
    const here = await talked({ environment: { WORLDLINE_COMPACTION_MODEL: "anthropic/of-the-setting" } });
    const before = await here.log();
    for (const [named, message] of [
      ["no-such-provider/model", "Unknown provider: no-such-provider/model"],
      ["no-such-model", "Unknown model: no-such-model"],
      ["worldline/finder", "worldline/finder finds what broke a test; it cannot write summaries."],
    ] as const) {
      const said = await here.worldline(["compact", "--model", named, "--json"]);
      expect([named, said.code]).toEqual([named, 42]);
      expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: "MODEL_UNKNOWN", message } });
    }
    expect(here.modelsAsked()).toEqual([]);
    expect(await here.log()).toEqual(before);
  });
});
