import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { keptOutputs } from "../../../src/app/places/home.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

function keeping() {
  const { path, remove } = tempFolder();
  onTestFinished(remove);
  const outputs = join(path, "outputs");
  const { keepOutput } = keptOutputs(outputs);
  return {
    outputs,
    keep: (call: string, text: string, file?: string) => keepOutput(call, Buffer.from(text), file),
    kept: () =>
      Object.fromEntries(
        readdirSync(outputs).map((name) => [name, readFileSync(join(outputs, name), "utf8")]),
      ),
  };
}

describe("outputs that are kept", () => {
  it("have a file for each call, though ids repeat, however their pieces come", async () => {
    const { keep, kept } = keeping();
    const first = await keep("call-1", "one, ");
    const second = await keep("call-1", "two, ");
    expect(await keep("call-1", "and more", first)).toBe(first);
    expect(await keep("call-1", "and more of it", second)).toBe(second);
    await keep("call-1", "three");
    expect(kept()).toEqual({
      "call-1.txt": "one, and more",
      "call-1-2.txt": "two, and more of it",
      "call-1-3.txt": "three",
    });
  });

  it("take no file for theirs that another program's run has left", async () => {
    const { outputs, keep, kept } = keeping();
    await keep("call-1", "of before");
    await keptOutputs(outputs).keepOutput("call-1", Buffer.from("of now"));
    expect(kept()).toEqual({ "call-1.txt": "of before", "call-1-2.txt": "of now" });
  });

  it("stay in their folder, readable only by their owner, whatever the call's name is", async () => {
    const { outputs, keep } = keeping();
    const file = await keep("../../evil", "x");
    expect(file).toBe(join(outputs, "______evil.txt"));
    expect([statSync(outputs).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("have a safe name of at most 100 characters, even if the call has none", async () => {
    const { keep, kept } = keeping();
    for (const call of ["", "a/b.c é-_9", "x".repeat(150)]) await keep(call, "x");
    expect(Object.keys(kept()).sort()).toEqual(["a_b_c__-_9.txt", "call.txt", `${"x".repeat(100)}.txt`]);
  });

  it("cannot be kept where their folder has become a file", async () => {
    const { outputs, keep } = keeping();
    await keep("call-1", "x");
    rmSync(outputs, { recursive: true });
    writeFileSync(outputs, "");
    await expect(keep("call-1", "x")).rejects.toMatchObject({ code: "EEXIST" });
  });

  it("cannot be kept where no file can be created", async () => {
    const { keepOutput } = keptOutputs("/proc/self");
    await expect(keepOutput("call-1", Buffer.from("x"), undefined)).rejects.toMatchObject({
      code: expect.any(String),
    });
  });

  it("follow no link that has taken the place of a file", async () => {
    const { outputs, keep } = keeping();
    mkdirSync(outputs);
    symlinkSync(join(outputs, "elsewhere"), join(outputs, "call-1.txt"));
    expect(await keep("call-1", "x")).toBe(join(outputs, "call-1-2.txt"));
    expect(readdirSync(outputs).sort()).toEqual(["call-1-2.txt", "call-1.txt"]);
  });
});
