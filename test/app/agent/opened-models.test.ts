import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  finderModel,
  modelSources,
  openModel,
  openNamedModel,
  openRequestedModel,
  pricesOf,
} from "../../../src/app/agent/open-model.ts";
import type { Model } from "../../../src/ports/model.ts";
import { REMOTE, reportingContext } from "../support/reporting-context.ts";

const here = { providers: { here: REMOTE } };
const FINDER = "worldline/finder";
const aFinder = { name: FINDER, window: 1 } as Model;
const finder = () => aFinder;

const namesOf = ({ model, summariser }: Awaited<ReturnType<typeof openModel>>) => ({
  model: model.name,
  summariser: summariser?.name,
});

async function refusal(work: Promise<unknown>) {
  return work.then(
    () => "none",
    ({ reason, params }: { reason: string; params: unknown }) => ({ reason, params }),
  );
}

describe("opening a model", () => {
  const cheap = { ...here, model: "here/main", compaction: { model: "here/cheap" } };

  it("opens the requested one or the one in the settings, and the one that summarizes", async () => {
    const main = { ...here, model: "here/main" };
    const lazy = { ...cheap, model: FINDER };
    const cases = [
      { settings: main, model: "here/main" },
      { settings: main, request: { wanted: "here/two" }, model: "here/two" },
      { settings: cheap, model: "here/main", summariser: "here/cheap" },
      { settings: { ...here, model: FINDER }, request: { wanted: "here/two", finder }, model: "here/two" },
      // The finder needs no other model, but cannot be used where only a provider's model can.
      { settings: lazy, request: { finder }, model: FINDER },
      { settings: cheap, request: { wanted: FINDER, finder }, model: FINDER },
      { settings: lazy, model: "here/cheap", summariser: "here/cheap" },
    ];
    for (const { settings, request, model, summariser } of cases) {
      const { context, reported } = reportingContext({ settings });
      expect(namesOf(await openModel(context, request))).toEqual({ model, summariser });
      expect(reported).toEqual([]);
    }
  });

  it.each([
    ["from the table", {}, { "here/main": { window: 7_000 } }, 7_000, 6_000],
    ["from the settings", { window: 9_000 }, { "here/main": { window: 7_000 } }, 9_000, 6_000],
  ])(
    "takes the window %s, but the summaries' only from the table",
    async (_what, context, table, ...windows) => {
      const models = { ...table, "here/cheap": { window: 6_000 } };
      const opened = await openModel(reportingContext({ settings: { ...cheap, context, models } }).context);
      expect([opened.model.window, opened.summariser?.window]).toEqual(windows);
    },
  );

  it("blames the setting for a wrong name, and says where it is", async () => {
    const wrong = { model: "nobody/one" };
    const problem = {
      reason: "provider-unknown",
      params: expect.objectContaining({ model: "nobody/one" }),
    };
    const blamed = {
      reason: "model-of-setting-unusable",
      params: { code: "MODEL_UNKNOWN", setting: "model", problem },
    };
    const inFile = reportingContext({ settings: wrong });
    const inVariable = reportingContext({ environment: { WORLDLINE_MODEL: "nobody/one" } });
    const inFlag = reportingContext({ common: { settings: { model: "nobody/one" } } });
    expect(await refusal(openModel(inFile.context))).toEqual({
      ...blamed,
      params: { ...blamed.params, place: { is: "file", file: join(inFile.home, "settings.json"), line: 2 } },
    });
    expect(await refusal(openModel(inVariable.context))).toEqual({
      ...blamed,
      params: { ...blamed.params, place: { is: "variable", variable: "WORLDLINE_MODEL" } },
    });
    expect(await refusal(openModel(inFlag.context))).toEqual({
      ...blamed,
      params: { ...blamed.params, place: { is: "flag" } },
    });
  });

  it("blames the setting for summaries if its model replaces the finder", async () => {
    const settings = { ...here, model: FINDER, compaction: { model: "nobody/cheap" } };
    const error = await openModel(reportingContext({ settings }).context).catch((thrown) => thrown);
    expect([error.reason, error.params.setting, error.cause.reason]).toEqual([
      ...["model-of-setting-unusable", "compaction.model", "provider-unknown"],
    ]);
  });

  it("does not blame a setting for a name that was typed, or if there is none at all", async () => {
    const { context } = reportingContext({ settings: { ...here, model: "here/main" } });
    expect(await refusal(openModel(context, { wanted: "nobody/two" }))).toMatchObject({
      reason: "provider-unknown",
    });
    expect(await refusal(openModel(reportingContext().context))).toMatchObject({ reason: "no-model" });
  });

  it("goes on without a model for summaries that does not exist", async () => {
    const settings = { ...cheap, compaction: { model: "nobody/cheap" } };
    const { context, reported } = reportingContext({ settings });
    expect(namesOf(await openModel(context))).toEqual({ model: "here/main", summariser: undefined });
    expect(reported).toEqual([
      {
        code: "no-summarizer",
        problem: expect.objectContaining({
          reason: "model-of-setting-unusable",
          params: expect.objectContaining({ setting: "compaction.model" }),
        }),
      },
    ]);
  });

  it("cannot use the finder for summaries", async () => {
    const by = (who: string) => ({
      reason: "finder-writes-no-summaries",
      params: { model: FINDER, by: who },
    });
    const { context } = reportingContext({ settings: { model: FINDER } });
    expect(await refusal(openModel(context, { wanted: FINDER }))).toEqual(by("setting"));
    expect(await refusal(openNamedModel(context, FINDER))).toEqual(by("option"));
    expect(await refusal(openModel(context))).toMatchObject({
      reason: "model-of-setting-unusable",
      params: { setting: "model", problem: by("setting") },
    });
  });
});

describe("opening the model that an option names for summaries", () => {
  it("opens only that one, with the window in the settings", async () => {
    const settings = { ...here, compaction: { model: "here/cheap" }, context: { window: 9_000 } };
    const opened = await openNamedModel(reportingContext({ settings }).context, "here/two");
    expect({ ...namesOf(opened), window: opened.model.window }).toEqual({
      ...{ model: "here/two", summariser: undefined, window: 9_000 },
    });
  });
});

describe("opening an agent's model", () => {
  const providers = {
    ...Object.fromEntries(
      ["openai", "openai-chat", "moonshot", "deepseek", "openrouter"].map((name) => [name, REMOTE]),
    ),
    one: { ...REMOTE, keyVariable: "ONE_KEY" },
    two: { ...REMOTE, keyVariable: "ONE_KEY" },
  };
  const variables = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ONE_KEY"];

  it("returns a placeholder if the agent can do without, and the places that were searched", async () => {
    const { context, reported } = reportingContext({ settings: { providers } });
    const { models, lookedFor } = await openRequestedModel(
      context,
      { model: undefined, withoutModel: "open" },
      finder,
    );
    expect(lookedFor).toEqual({ variables, setting: "" });
    expect(models).toEqual({ model: expect.objectContaining({ name: "none", window: 200_000 }) });
    const events: unknown[] = [];
    for await (const event of models.model.stream({} as never)) events.push(event);
    expect(events).toEqual([
      {
        type: "failed",
        failure: expect.objectContaining({
          ...{ code: "MODEL_KEY", retry: "never", reason: "model-not-connected" },
        }),
      },
    ]);
    expect(reported).toEqual([]);
  });

  it("reports why the model in the settings cannot be used", async () => {
    const { context, reported } = reportingContext({ settings: { providers, model: "nobody/one" } });
    const { lookedFor } = await openRequestedModel(
      context,
      { model: undefined, withoutModel: "open" },
      finder,
    );
    expect(lookedFor).toEqual({ variables, setting: "nobody/one" });
    expect(reported).toEqual([
      { code: "model-unusable", problem: expect.objectContaining({ reason: "model-of-setting-unusable" }) },
    ]);
  });

  it("reports a key file that cannot be used, even if the settings name no model", async () => {
    const { context, home, reported } = reportingContext({ settings: {} });
    writeFileSync(join(home, "keys.json"), "[]", { mode: 0o600 });
    await openRequestedModel(context, { model: undefined, withoutModel: "open" }, finder);
    expect(reported).toEqual([
      { code: "model-unusable", problem: expect.objectContaining({ reason: "keys-not-an-object" }) },
    ]);
  });

  it("fails if the model was requested, or if the agent needs one", async () => {
    const { context, reported } = reportingContext({ settings: { providers } });
    const asked = { model: "nobody/one", withoutModel: "open" } as const;
    expect(await refusal(openRequestedModel(context, asked, finder))).toMatchObject({
      reason: "provider-unknown",
    });
    const needed = { model: undefined, withoutModel: undefined };
    expect(await refusal(openRequestedModel(context, needed, finder))).toMatchObject({ reason: "no-model" });
    expect(reported).toEqual([]);
  });

  it("returns the model without a search if it can be opened", async () => {
    const { context } = reportingContext({ settings: { ...here, model: "here/main" } });
    const opened = await openRequestedModel(context, { model: undefined, withoutModel: "open" }, finder);
    expect({ ...opened, models: namesOf(opened.models) }).toEqual({
      models: { model: "here/main", summariser: undefined },
    });
  });
});

describe("the sources of a model", () => {
  it("are the settings, the environment and the keys", async () => {
    const settings = { ...here, model: "here/main", models: { "here/main": { window: 7_000 } } };
    const { context } = reportingContext({ settings, environment: { OPENAI_API_KEY: "k" } });
    const sources = await modelSources(context);
    const { models, providers } = sources.settings;
    expect({ ...sources, environment: undefined, keys: sources.keys.find("OPENAI_API_KEY") }).toEqual({
      settings: { model: "here/main", models, providers },
      environment: undefined,
      keys: { key: "k", from: "environment" },
      patience: { silenceMs: (await context.settings()).values["agent.silenceMs"] },
    });
    expect([models, Object.keys(providers)]).toEqual([settings.models, ["here"]]);
  });
});

describe("the finder without a session", () => {
  it("fails instead of looking for changes elsewhere", async () => {
    const { model } = finderModel(reportingContext().context);
    const { signal } = new AbortController();
    const events: unknown[] = [];
    const context = { system: "", messages: [], breakpoints: [] };
    for await (const event of model.stream({ context, tools: [], maxOutputTokens: 1, signal }))
      events.push(event);
    expect(events).toMatchObject([
      {
        type: "failed",
        failure: { reason: "changes-unreadable", params: { problem: "No session is open yet." } },
      },
    ]);
  });
});

describe("the prices of the models", () => {
  it("are those in the settings, in addition to the table", async () => {
    const models = { "here/one": { input: 1, output: 2 } };
    const prices = await pricesOf(reportingContext({ settings: { models } }).context);
    expect(prices["here/one"]).toMatchObject({ input: 1, output: 2 });
    expect(Object.keys(prices).length).toBeGreaterThan(1);
  });
});
