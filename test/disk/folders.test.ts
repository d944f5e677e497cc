import { homedir, userInfo } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { defaultHome, knownUserHome, userHome, usualHome } from "../../src/disk/folders.ts";

const own = process.env["HOME"];
afterEach(() => {
  process.env["HOME"] = own;
});

const unknown = (): string => {
  throw Object.assign(new Error("no such user"), { code: "ERR_SYSTEM_ERROR" });
};

describe("the user's home folder", () => {
  it("is HOME", () => {
    process.env["HOME"] = "/somewhere/else";
    expect([homedir(), userHome()]).toEqual(["/somewhere/else", "/somewhere/else"]);
  });

  it.each(["", ".", "relative/path"])(
    "is the system's if HOME is %j, and never the current folder",
    (home) => {
      process.env["HOME"] = home;
      expect(userHome()).toBe(userInfo().homedir);
    },
  );

  it("is the system's where HOME is not set", () => {
    delete process.env["HOME"];
    expect(userHome()).toBe(userInfo().homedir);
  });

  it("is unknown where neither names one", () => {
    expect(knownUserHome([unknown, unknown])).toBeUndefined();
    expect(knownUserHome([() => "", () => ""])).toBeUndefined();
    expect(userHome([unknown, unknown])).toBe("/nonexistent");
  });
});

describe("the folder of everything that is kept", () => {
  it("needs no home folder where WORLDLINE_HOME names it", () => {
    expect(defaultHome()).toBe(process.env["WORLDLINE_HOME"]);
  });

  it("is refused with the next step where there is no home folder", () => {
    expect(() => usualHome([unknown, unknown])).toThrow(
      expect.objectContaining({
        code: "STORE_UNWRITABLE",
        hint: "Set WORLDLINE_HOME to a folder that you can write to.",
      }),
    );
  });
});
