import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/ports/model.ts";
import { textPart } from "../../../src/record/parts.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const OTHER: Model = {
  name: "other/one",
  window: 1_000,
  async *stream() {
    yield { type: "end", parts: [textPart("I am the other one.")] };
  },
};

async function openModel(name: string): Promise<Model> {
  if (name === "other/one") return OTHER;
  throw Object.assign(new Error(`no model ${name}`), { code: "MODEL_UNKNOWN" });
}

describe("another model", () => {
  it("is asked from the next call on, and fills its own window", async () => {
    const { agent, session, events } = await stage({
      responder: scripted({ text: "I am the first." }),
      openModel,
    });
    await agent.prompt("who?");
    await agent.setModel("other/one");
    expect(agent.model).toBe("other/one");
    expect((await agent.prompt("who now?")).answer).toBe("I am the other one.");
    expect(events.filter(({ type }) => type === "model")).toEqual([
      { type: "model", model: "other/one", window: 1_000 },
    ]);
    const history = await session.history();
    expect(history.flatMap((entry) => (entry.kind === "reply" ? [entry.model] : [])).at(-1)).toBe(
      "other/one",
    );
    const fills = history.flatMap((entry) => (entry.kind === "step" ? [entry.fill] : []));
    expect(fills[0]).toBe(0);
    expect(fills[1]).toBeGreaterThan(0);
  });

  it("that is not there, or cannot be looked for, changes nothing", async () => {
    const { agent, events } = await stage({ responder: scripted(), openModel });
    const { model } = agent;
    await expect(agent.setModel("nobody/none")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    const without = await stage({ responder: scripted() });
    await expect(without.agent.setModel("other/one")).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
    expect([agent.model, events.filter(({ type }) => type === "model")]).toEqual([model, []]);
  });
});

describe("another permission mode", () => {
  it("is reported if it differs from the current one", async () => {
    const { agent, events } = await stage({ responder: scripted(), mode: "manual" });
    agent.setMode("manual");
    agent.setMode("plan");
    expect(agent.mode).toBe("plan");
    expect(events.filter(({ type }) => type === "mode")).toEqual([{ type: "mode", mode: "plan" }]);
  });
});
