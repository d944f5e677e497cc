import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { providerNamed, providerRows, removeKey, setUpKey, storeKey } from "../../../src/app/agent/keys.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

const variable = "ANTHROPIC_API_KEY";

describe("a key of a provider", () => {
  it("is stored untested if the user requests it, and can be removed", async () => {
    const place = playground();
    const frame = frameOf(place);
    const file = join(place.home, "keys.json");
    const state = async () =>
      (await providerRows(frame)).find(({ provider }) => provider === "anthropic")?.state;
    expect(await state()).toBe("no-key");
    const provider = await providerNamed(frame, "anthropic");
    const stored = await setUpKey(frame, {
      ...{ provider, variable, key: "sk-1", model: undefined },
      check: "untried",
      onTrying: () => expect.unreachable(),
    });
    expect(stored).toEqual({ file, environment: "unset" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ [variable]: "sk-1" });
    expect(await state()).toBe("key");
    expect(removeKey(frame, variable)).toEqual({ file, environment: "unset", outcome: "removed" });
    expect(removeKey(frame, variable).outcome).toBe("not-kept");
    expect(await state()).toBe("no-key");
  });

  it("is overridden by a key in the environment, which is reported", () => {
    const frame = frameOf(playground(), { environment: { [variable]: "sk-2" } });
    expect(storeKey(frame, { variable, key: "sk-1" }).environment).toBe("wins");
    const empty = frameOf(playground(), { environment: { [variable]: " " } });
    expect(storeKey(empty, { variable, key: "sk-1" }).environment).toBe("unset");
  });

  it("is only for a known provider, and an unknown name is not repeated", async () => {
    const error = await providerNamed(frameOf(playground()), "sk-secret").catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: expect.any(String) });
    expect(JSON.stringify(error)).not.toContain("sk-secret");
    expect((error as Error).message).not.toContain("sk-secret");
  });
});
