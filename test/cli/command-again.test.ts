import { describe, expect, it } from "vitest";
import { commandAgain, shellWording } from "../../src/cli/command-again.ts";
import { storeAddress } from "../../src/stores/store-address.ts";

const resumed = { do: "open", session: "k3f9" } as const;

const given = (text: string) => ({
  session: undefined,
  store: storeAddress(text, { cwd: () => "/w", userHome: "/home/ann" }),
  storeFrom: "option" as const,
});

describe("a command to be copied", () => {
  it("is as it is when the store was not named on the command line", () => {
    const common = { ...given("sqlite:x.db"), storeFrom: "elsewhere" as const };
    expect(commandAgain(common, resumed)).toBe("worldline -r k3f9");
  });

  it.each([
    ["files", "worldline --store files -r k3f9"],
    ["sqlite:x.db", "worldline --store sqlite:/w/x.db -r k3f9"],
    ["sqlite:it's mine.db", "worldline --store 'sqlite:/w/it'\\''s mine.db' -r k3f9"],
    ["sqlite:a$&b.db", "worldline --store 'sqlite:/w/a$&b.db' -r k3f9"],
    ["postgres://ann@db/work", "worldline --store postgres://ann@db/work -r k3f9"],
    ["postgres://ann:s3cret@db/work", "WORLDLINE_STORE=postgres://ann:PASSWORD@db/work worldline -r k3f9"],
  ])("names %j again, without its password", (store, command) => {
    expect(commandAgain(given(store), resumed)).toBe(command);
  });

  it("starts Worldline as the user did", () => {
    const common = { ...given("files"), storeFrom: "elsewhere" as const };
    expect(commandAgain(common, resumed, "npm start --")).toBe("npm start -- -r k3f9");
    const store = "postgres://ann:s3cret@db/work";
    expect(commandAgain(given(store), resumed, "npm start --")).toBe(
      "WORLDLINE_STORE=postgres://ann:PASSWORD@db/work npm start -- -r k3f9",
    );
  });

  it("is in a text what it would be alone, where it is about sessions", () => {
    const { command } = shellWording(given("sqlite:/x.db"));
    expect(command({ ...resumed, how: "fork" })).toBe("worldline --store sqlite:/x.db -r k3f9 --fork");
    expect(command({ do: "checkpoints" })).toBe("worldline --store sqlite:/x.db checkpoints");
    expect(command({ do: "start", folder: "/f" })).toBe("worldline --store sqlite:/x.db /f");
    expect(command({ do: "config trust" })).toBe("worldline config trust");
  });

  it("names the session again that was named, where it would look into another one", () => {
    const common = { ...given("files"), storeFrom: "elsewhere" as const };
    const { command } = shellWording({ ...common, session: "it's" });
    expect(command({ do: "checkpoints", all: true })).toBe(
      "worldline checkpoints --all --session 'it'\\''s'",
    );
    expect(command({ do: "redo", session: "k3f9" })).toBe("worldline redo --session k3f9");
    expect(command({ do: "sessions list" })).toBe("worldline sessions list");
    expect(shellWording(common).command({ do: "log" })).toBe("worldline log");
    expect(shellWording(undefined).command({ do: "log" })).toBe("worldline log");
  });
});
