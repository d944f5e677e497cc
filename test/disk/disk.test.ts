import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readError, writeError } from "../../src/disk/disk.ts";
import type { Stored } from "../../src/strings/errors/facts.ts";

const SESSION: Stored = { what: "session", of: "s-1" };

const denied = (path?: string) =>
  Object.assign(new Error("EACCES: permission denied"), {
    code: "EACCES",
    ...(path === undefined ? {} : { path }),
  });

describe("what the disk does not allow", () => {
  it.each([
    [writeError, "STORE_UNWRITABLE", "written", " It must be writable."],
    [readError, "STORE_UNREADABLE", "read", ""],
  ] as const)("names its place, where the system does: %o", (error, code, verb, more) => {
    expect(error(denied("/"), SESSION)).toMatchObject({
      code,
      message: `Session s-1 could not be ${verb} (EACCES).`,
      hint: `Check the owner of / and its permissions.${more}`,
    });
    expect(error(denied(), SESSION).hint).toBe(`Check the owner of the folder and its permissions.${more}`);
  });

  it("names the folder that must be writable, and not the file that could not be made in it", () => {
    const missing = join(import.meta.dirname, "shared-5ffc");
    expect(writeError(denied(missing), SESSION).hint).toBe(
      `Check the owner of ${import.meta.dirname} and its permissions. It must be writable.`,
    );
  });

  it.each([readError, writeError])(
    "says how to have more files open where there are too many: %o",
    (error) => {
      const cause = Object.assign(new Error("EMFILE"), { code: "EMFILE" });
      expect(error(cause, SESSION).hint).toContain("Raise the limit and try again: ulimit -n 1024");
    },
  );
});
