import { describe, expect, it } from "vitest";
import { readError, writeError } from "../../src/disk/disk-error.ts";

const denied = (path?: string) =>
  Object.assign(new Error("EACCES: permission denied"), {
    code: "EACCES",
    ...(path === undefined ? {} : { path }),
  });

describe("what the disk does not allow", () => {
  it.each([
    [writeError, "STORE_UNWRITABLE", "written"],
    [readError, "STORE_UNREADABLE", "read"],
  ] as const)("names its place, where the system does: %o", (error, code, verb) => {
    expect(error(denied("/srv/home/sessions"), "A session")).toMatchObject({
      code,
      message: `A session could not be ${verb} (EACCES).`,
      hint: "Check who owns /srv/home/sessions and its permissions.",
    });
    expect(error(denied(), "A session").hint).toBe("Check who owns the folder and its permissions.");
  });
});
