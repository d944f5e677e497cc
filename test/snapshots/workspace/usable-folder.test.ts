import { describe, expect, it } from "vitest";
import { requireCapturable } from "../../../src/snapshots/workspace/workspace-folder.ts";

describe("a folder that holds everything", () => {
  it.each([
    ["/home/ada", "your home folder"],
    ["/home", "/home, which contains your home folder or a whole disk,"],
    ["/", "/, which contains your home folder or a whole disk,"],
  ])("is not captured: %s", (folder, what) => {
    expect(() => requireCapturable(folder, "/home/ada")).toThrow(`The files in ${what} are not captured.`);
  });

  it.each(["/home/ada/project", "/home/adam", "/srv"])("is not %s", (folder) => {
    expect(() => requireCapturable(folder, "/home/ada")).not.toThrow();
  });
});
