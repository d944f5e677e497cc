import { describe, expect, it } from "vitest";
import { PromptQueue } from "../../../src/agent/agent-context.ts";
import { textPart } from "../../../src/record/parts.ts";

const one = [textPart("one")];
const two = [textPart("two")];
const three = [textPart("three")];

describe("the queue of prompts", () => {
  it("writes each prompt in order, including those that come meanwhile", async () => {
    const queue = new PromptQueue();
    queue.push(one);
    queue.push(two);
    const written: unknown[] = [];
    const count = await queue.sendEach(async (prompt) => {
      if (prompt === one) queue.push(three);
      written.push(prompt);
    });
    expect([count, written]).toEqual([3, [one, two, three]]);
    expect(queue.takeUnsent()).toEqual([]);
    expect(await queue.next(async () => "written")).toBeUndefined();
  });

  it("returns a prompt that could not be written, and those after it, to its caller", async () => {
    const queue = new PromptQueue();
    for (const prompt of [one, two, three]) queue.push(prompt);
    const writing = queue.sendEach(async (prompt) => {
      if (prompt === two) throw new Error("The disk is full.");
    });
    await expect(writing).rejects.toThrow("full");
    expect(queue.takeUnsent()).toEqual([two, three]);
    expect(queue.takeUnsent()).toEqual([]);
  });

  it("reports each prompt when it is written, and none that was not", async () => {
    const queue = new PromptQueue();
    const seen: string[] = [];
    queue.push(one, () => seen.push("one"));
    queue.push(two, () => seen.push("two"));
    const writing = queue.sendEach(async (prompt) => {
      seen.push(`writing ${prompt === one ? "one" : "two"}`);
      if (prompt === two) throw new Error("The disk is full.");
    });
    await expect(writing).rejects.toThrow("full");
    expect(queue.takeUnsent()).toEqual([two]);
    expect(seen).toEqual(["writing one", "one", "writing two"]);
  });
});
