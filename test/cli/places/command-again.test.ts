import { describe, expect, it } from "vitest";
import { commandAgain, hintAgain, hintInSession } from "../../../src/cli/places/command-again.ts";
import { storeAddress } from "../../../src/stores/store-address.ts";

const given = (text: string) => ({
  store: storeAddress(text, { cwd: () => "/w", userHome: "/home/ann" }),
  storeFrom: "option" as const,
});

describe("a command to be copied", () => {
  it("is as it is when the store was not named on the command line", () => {
    const common = { ...given("sqlite:x.db"), storeFrom: "elsewhere" as const };
    expect(commandAgain(common, "worldline -r k3f9")).toBe("worldline -r k3f9");
  });

  it.each([
    ["files", "worldline --store files -r k3f9"],
    ["sqlite:x.db", "worldline --store sqlite:/w/x.db -r k3f9"],
    ["sqlite:it's mine.db", "worldline --store 'sqlite:/w/it'\\''s mine.db' -r k3f9"],
    ["sqlite:a$&b.db", "worldline --store 'sqlite:/w/a$&b.db' -r k3f9"],
    ["postgres://ann@db/work", "worldline --store postgres://ann@db/work -r k3f9"],
    ["postgres://ann:s3cret@db/work", "WORLDLINE_STORE=postgres://ann:PASSWORD@db/work worldline -r k3f9"],
  ])("names %j again, without its password", (store, command) => {
    expect(commandAgain(given(store), "worldline -r k3f9")).toBe(command);
  });

  it("is not prefixed twice", () => {
    for (const store of ["sqlite:/x.db", "postgres://ann:s3cret@db/work"]) {
      const command = commandAgain(given(store), "worldline -r k3f9");
      expect(hintAgain(given(store), command)).toBe(command);
    }
  });

  it("is found in a hint, where it is about sessions", () => {
    const hint =
      "Go on in a copy: worldline -r k3f9 --fork. See: worldline checkpoints; worldline config trust";
    expect(hintAgain(given("sqlite:/x.db"), hint)).toBe(
      "Go on in a copy: worldline --store sqlite:/x.db -r k3f9 --fork. See: worldline --store sqlite:/x.db checkpoints; worldline config trust",
    );
  });

  it("names the session again that was named, where it would look into another one", () => {
    const hint = "See: worldline checkpoints --all, worldline redo --session k3f9, worldline sessions list";
    expect(hintInSession({ session: "it's" }, hint)).toBe(
      "See: worldline checkpoints --session 'it'\\''s' --all, worldline redo --session k3f9, worldline sessions list",
    );
    expect(hintInSession({ session: undefined }, hint)).toBe(hint);
  });
});
