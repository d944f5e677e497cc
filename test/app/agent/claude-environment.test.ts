import { describe, expect, it } from "vitest";
import { claudeEnvironment } from "../../../src/app/agent/open-claude.ts";

const usual = {
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  DISABLE_AUTOUPDATER: "1",
};
type Given = Partial<Parameters<typeof claudeEnvironment>[0]>;

const kept: NonNullable<Given["keys"]> = { find: () => ({ key: "kept-key", from: "file" }) };

function of(given: Given): Readonly<Record<string, string>> {
  return claudeEnvironment({
    environment: {},
    store: { kind: "files" },
    providers: {},
    keys: { find: () => undefined },
    checkpoints: "off",
    login: "none",
    ...given,
  });
}

const ownServer = {
  anthropic: { kind: "anthropic", baseUrl: "https://gateway.example/claude/v1/" },
} as const;

describe("the environment of the SDK's processes", () => {
  it("is the user's, without background tasks and updates", () => {
    expect(of({ environment: { PATH: "/bin", EMPTY: "", GONE: undefined } })).toEqual({
      ...usual,
      PATH: "/bin",
      EMPTY: "",
    });
  });

  it("keeps the user's own decisions", () => {
    const environment = {
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "0",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0",
      DISABLE_AUTOUPDATER: "",
    };
    expect(of({ environment })).toEqual(environment);
  });

  it("has the key that Worldline keeps, where Claude is not reached otherwise", () => {
    expect(of({ keys: kept })).toEqual({ ...usual, ANTHROPIC_API_KEY: "kept-key" });
    expect(of({ keys: kept, environment: { ANTHROPIC_API_KEY: " " } })).toEqual({
      ...usual,
      ANTHROPIC_API_KEY: "kept-key",
    });
    expect(of({})).not.toHaveProperty("ANTHROPIC_API_KEY");
  });

  it("has no key of Worldline's if Claude has its own login, or a variable says how to reach Claude", () => {
    expect(of({ keys: kept, login: "there" })).toEqual(usual);
    const variables = [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
      "CLAUDE_CODE_USE_FOUNDRY",
    ];
    expect(variables.map((variable) => of({ keys: kept, environment: { [variable]: "own" } }))).toEqual(
      variables.map((variable) => ({ ...usual, [variable]: "own" })),
    );
  });

  it("has the address and the key of a provider anthropic in the settings", () => {
    const keys = {
      find: (name: string) => (name === "GATE_KEY" ? { key: "gate", from: "file" as const } : undefined),
    };
    const providers = { anthropic: { ...ownServer.anthropic, keyVariable: "GATE_KEY" } };
    expect(of({ providers, keys })).toEqual({
      ...usual,
      ANTHROPIC_BASE_URL: "https://gateway.example/claude",
      ANTHROPIC_API_KEY: "gate",
    });
    const environment = { ANTHROPIC_BASE_URL: "https://other.example" };
    expect(of({ providers: ownServer, environment })).toEqual({ ...usual, ...environment });
    const inside = {
      anthropic: { kind: "anthropic", baseUrl: "https://gateway.example/v1/claude" },
    } as const;
    expect(of({ providers: inside, keys: kept })).toEqual({
      ...usual,
      ANTHROPIC_BASE_URL: "https://gateway.example/v1/claude",
    });
  });

  it("knows nothing of a provider of that name that speaks another language", () => {
    const providers = { anthropic: { kind: "compatible", baseUrl: "https://gateway.example/v1" } } as const;
    expect(of({ providers, keys: kept })).toEqual(usual);
  });

  it("names the database without its password", () => {
    const url = "postgres://me:secret@db.example/worldline";
    const environment = { WORLDLINE_STORE: url };
    const named = of({ environment, store: { kind: "postgres", url, name: "worldline" } })["WORLDLINE_STORE"];
    expect(named).toBe("postgres://me@db.example/worldline");
  });

  it("leaves the SDK's variables of checkpoints to the SDK, as it was decided", () => {
    const environment = {
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
      CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: "1",
    };
    expect(of({ environment, checkpoints: "on" })).toEqual(usual);
    expect(of({ environment, checkpoints: "off" })).toEqual({
      ...usual,
      CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: "1",
    });
  });
});
