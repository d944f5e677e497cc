import { describe, expect, it } from "vitest";
import { checkpointingOf, reportEngineDoubts } from "../../../src/app/agent/checkpointing.ts";
import { reportingContext } from "../support/reporting-context.ts";

const ENABLE = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
const DISABLE = "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING";
const usual = { enableFileCheckpointing: true, "snapshots.engine": "worldline" } as const;
const bySdk = { ...usual, "snapshots.engine": "sdk" } as const;
const without = { enableFileCheckpointing: false };

describe("choosing the agent that checkpoints files", () => {
  it.each([
    ["nobody but Worldline by default", usual, {}, "off"],
    ["the SDK where the engine is its own", bySdk, {}, "on"],
    ["the SDK where its variable says so", usual, { [ENABLE]: "1" }, "on"],
    ["the SDK where its variable says so in a word", usual, { [ENABLE]: "TRUE" }, "on"],
    ["not the SDK where its variable says no", usual, { [ENABLE]: "0" }, "off"],
    ["not the SDK where it is disabled", usual, { [DISABLE]: "true" }, "off"],
    ["nobody where all say no", { ...usual, ...without }, { [ENABLE]: "false" }, "off"],
    ["the default where variables are empty", usual, { [ENABLE]: "", [DISABLE]: " " }, "off"],
    ["the SDK where the variable agrees with the engine", bySdk, { [ENABLE]: "on", [DISABLE]: "0" }, "on"],
  ] as const)("is decided without a doubt: %s", (...[, settings, environment, checkpoints]) => {
    expect(checkpointingOf("claude", settings, environment)).toEqual({ checkpoints, doubts: [] });
  });

  it.each([
    [
      "the variable is on, and checkpoints are off",
      { ...usual, ...without },
      { [ENABLE]: "1" },
      "on",
      { about: "variable-and-setting", variable: ENABLE },
    ],
    [
      "the engine is the SDK's, and the variable is off",
      bySdk,
      { [ENABLE]: "0" },
      "on",
      { about: "engine-and-variable", variable: ENABLE },
    ],
    [
      "the engine is the SDK's, and it is disabled",
      bySdk,
      { [ENABLE]: "1", [DISABLE]: "1" },
      "on",
      { about: "engine-and-variable", variable: DISABLE },
    ],
    [
      "the engine is the SDK's, and checkpoints are off",
      { ...bySdk, ...without },
      {},
      "on",
      { about: "engine-and-setting" },
    ],
    ["both variables are on", usual, { [ENABLE]: "1", [DISABLE]: "1" }, "off", { about: "both-variables" }],
    [
      "a variable says neither",
      usual,
      { [ENABLE]: "perhaps" },
      "off",
      { about: "not-understood", variable: ENABLE, value: "perhaps" },
    ],
  ] as const)("is decided, and doubted, where %s", (...[, settings, environment, checkpoints, doubt]) => {
    expect(checkpointingOf("claude", settings, environment)).toEqual({ checkpoints, doubts: [doubt] });
  });

  it("is Worldline with its own agent, whatever the engine says", () => {
    expect(checkpointingOf("native", usual, { [ENABLE]: "1" })).toEqual({ checkpoints: "off", doubts: [] });
    expect(checkpointingOf("native", bySdk, {})).toEqual({
      checkpoints: "off",
      doubts: [{ about: "engine-without-sdk" }],
    });
  });
});

describe("our own agent", () => {
  it("reports an engine that it does not have", async () => {
    const doubtful = reportingContext({ settings: { snapshots: { engine: "sdk" } } });
    await reportEngineDoubts(doubtful.context);
    expect(doubtful.reported).toEqual([
      { code: "checkpointing-doubt", doubt: { about: "engine-without-sdk" } },
    ]);
    const usual = reportingContext({ environment: { [ENABLE]: "1", [DISABLE]: "1" } });
    await reportEngineDoubts(usual.context);
    expect(usual.reported).toEqual([]);
  });
});
