import { describe, expect, it } from "vitest";
import {
  englishText,
  errnoOf,
  foreignText,
  inEnglish,
  isMissing,
  isWorldlineError,
  problemIn,
  problemOf,
  reasonFields,
  remark,
  remarkOf,
  WorldlineError,
} from "../../src/record/error.ts";
import { sessionNumber } from "../../src/testing/testing.ts";

const deletions = new WorldlineError("deletions-unconfirmed", { deletions: 3 });
const outside = { reason: "kept-outside", params: {} };

/** An error as Node's file system throws it. */
const systemError = (code: unknown) => Object.assign(new Error("the system refused"), { code });

describe("an error", () => {
  it("takes its code and its English from its reason", () => {
    const error = new WorldlineError("deletions-unconfirmed", { deletions: 3 });
    expect(error).toMatchObject({
      name: "WorldlineError",
      code: "NEEDS_YES",
      reason: "deletions-unconfirmed",
      params: { deletions: 3 },
      message: "This would delete 3 files.",
      hint: "To list them, call previewRewind or previewRedo. To confirm, pass confirmDeletions: true",
    });
  });

  it("accepts any code and words, as stores and hosts of other programs throw them", () => {
    const cause = new Error("below");
    const error = new WorldlineError("STORE_BUSY", "The bucket is busy.", { hint: "Try again.", cause });
    expect(error).toMatchObject({
      code: "STORE_BUSY",
      reason: "stated",
      message: "The bucket is busy.",
      hint: "Try again.",
      cause,
    });
    expect(new WorldlineError("STORE_BUSY", "The bucket is busy.").hint).toBeUndefined();
  });

  it("has a hint, a cause, and a session only if there is one", () => {
    const bare = new WorldlineError("entry-unknown", { entry: "x" });
    expect([bare.hint, "cause" in bare, bare.session]).toEqual([undefined, false, undefined]);
    const session = sessionNumber(3);
    expect(new WorldlineError("STORE_BUSY", "Busy.", { session }).session).toBe(session);
  });

  it("takes its code from the error that it is about", () => {
    const why = "The model is busy.";
    expect(new WorldlineError("compaction-failed", { code: "MODEL_BUSY", why }).code).toBe("MODEL_BUSY");
  });

  it.each<[string, unknown, readonly [boolean, boolean, boolean]]>([
    ["itself", deletions, [true, true, false]],
    ["another error with the same code", systemError("NEEDS_YES"), [false, false, false]],
    ["no error", undefined, [false, false, false]],
  ])("is recognized with any code, its own code, and another code as %s", (_what, error, recognized) => {
    expect([
      isWorldlineError(error),
      isWorldlineError(error, "NEEDS_YES"),
      isWorldlineError(error, "STORE_BUSY"),
    ]).toEqual(recognized);
  });

  it("is data if it is returned instead of thrown", () => {
    expect(inEnglish("deletions-unconfirmed", { deletions: 3 })).toEqual({
      code: "NEEDS_YES",
      message: "This would delete 3 files.",
      hint: "To list them, call previewRewind or previewRedo. To confirm, pass confirmDeletions: true",
      reason: "deletions-unconfirmed",
      params: { deletions: 3 },
    });
    expect(Object.keys(inEnglish("entry-unknown", { entry: "x" }))).toEqual([
      "code",
      "message",
      "reason",
      "params",
    ]);
  });
});

describe("a remark", () => {
  it("is its English with its reason, and its parameters if it has any", () => {
    expect(remark("kept-outside")).toStrictEqual({
      why: "changed outside this session",
      reason: "kept-outside",
    });
    expect(remark("path-system-error", { errno: "EIO" })).toStrictEqual({
      why: "the system reported EIO",
      reason: "path-system-error",
      params: { errno: "EIO" },
    });
  });

  it.each([
    [{}, {}],
    [{ params: { errno: "EIO" } }, {}],
    [{ reason: "kept-outside" }, { reason: "kept-outside" }],
    [{ reason: "kept-outside", params: undefined }, { reason: "kept-outside" }],
    [
      { why: "x", reason: "path-system-error", params: { errno: "EIO" } },
      { reason: "path-system-error", params: { errno: "EIO" } },
    ],
  ])("%j has the fields %j for its reason", (given, fields) => {
    expect(reasonFields(given)).toStrictEqual(fields);
  });

  it("is a problem by its reason, or by its text if another program wrote it", () => {
    expect(problemIn({ why: "kept", reason: "kept-outside" })).toEqual(outside);
    expect(problemIn({ why: "kept", reason: "path-system-error", params: { errno: "EIO" } })).toEqual({
      reason: "path-system-error",
      params: { errno: "EIO" },
    });
    expect(problemIn({ why: "kept" })).toBe("kept");
  });

  it("is in English for models and scripts", () => {
    expect([englishText(outside), englishText(foreignText("another program's words"))]).toEqual([
      "changed outside this session",
      "another program's words",
    ]);
  });
});

describe("a thrown value", () => {
  const { reason, params } = deletions;

  it.each<[string, unknown, unknown, unknown]>([
    ["our own error", deletions, { reason, params }, { why: "This would delete 3 files.", reason, params }],
    ["another error", new Error("boom"), "boom", { why: "boom" }],
    ["no error", 7, "7", { why: "7" }],
  ])("is a problem and a remark if it is %s", (_what, thrown, problem, asRemark) => {
    expect(problemOf(thrown)).toEqual(problem);
    expect(remarkOf(thrown)).toStrictEqual(asRemark);
  });

  it.each<[string, unknown, string | undefined, boolean]>([
    ["a path that does not exist", systemError("ENOENT"), "ENOENT", true],
    ["a path below a file", systemError("ENOTDIR"), "ENOTDIR", true],
    ["a full disk", systemError("ENOSPC"), "ENOSPC", false],
    ["a code that is a number", systemError(2), undefined, false],
    ["an error without a code", new Error("boom"), undefined, false],
    ["an object that is no error", { code: "ENOENT" }, undefined, false],
    ["nothing", undefined, undefined, false],
  ])("has the system's code for %s", (_what, thrown, errno, missing) => {
    expect([errnoOf(thrown), isMissing(thrown)]).toEqual([errno, missing]);
  });
});
