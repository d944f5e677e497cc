import { describe, expect, it } from "vitest";
import {
  isPersonCall,
  LOAD_TOOL,
  newPersonCall,
  OpenCalls,
  reachesOf,
  SHELL_TOOL,
  typedFor,
} from "../../src/timeline/calls.ts";
import { tell } from "../story.ts";

/** A call as it waits for its result: `a1` is call `a` of the first reply. */
function callsOf(...names: readonly string[]) {
  return names.map((name) => ({ call: name.slice(0, 1), name }));
}

describe("the open calls", () => {
  it("are those without a result, in the order in which they were made", () => {
    const calls = new OpenCalls<ReturnType<typeof callsOf>[number]>();
    calls.open(callsOf("a1", "b1", "c1"));
    calls.open([]);
    calls.open(callsOf("d2"));
    expect(calls.take("b")).toEqual({ call: "b", name: "b1" });
    expect(calls.waiting).toEqual(callsOf("a1", "c1", "d2"));
    expect(calls.take("b")).toBeUndefined();
    expect(calls.waiting).toEqual(callsOf("a1", "c1", "d2"));
  });

  it("get a result for the newest reply that made the call, once for each call", () => {
    const calls = new OpenCalls<ReturnType<typeof callsOf>[number]>();
    calls.open(callsOf("a1", "b1"));
    calls.open(callsOf("a2", "a3"));
    calls.open(callsOf("c4"));
    expect(["a", "a", "a", "a", "b"].map((call) => calls.take(call)?.name)).toEqual([
      "a2",
      "a3",
      "a1",
      undefined,
      "b1",
    ]);
    expect(calls.waiting).toEqual(callsOf("c4"));
  });

  it("are dropped before the next model call", () => {
    const calls = new OpenCalls<ReturnType<typeof callsOf>[number]>();
    calls.open(callsOf("a1"));
    calls.seal();
    expect([calls.waiting, calls.take("a")]).toEqual([[], undefined]);
  });

  it("do not change the list that they were taken from", () => {
    const given = callsOf("a1", "b1");
    const calls = new OpenCalls<(typeof given)[number]>();
    calls.open(given);
    calls.take("a");
    expect(given).toEqual(callsOf("a1", "b1"));
  });
});

/** Calls of the user, whose ids end in an entry's id. */
const test = "shell-000000000001";
const load = "shell-000000000002";

describe("the lines that must stay together", () => {
  const reaches = (...lines: readonly string[]) => [...reachesOf(tell(...lines).entries)];

  it("are a reply and the last result of its calls", () => {
    expect(
      reaches(
        "prompt a",
        "step 1",
        "reply r +x(a) +x(b)",
        "start b x",
        "ok b 2",
        "prompt hurry",
        "start a x",
        "ok a 1",
        "step 2",
        "reply s +x(a)",
        "error a 3",
        "step 3",
        "reply t",
      ),
    ).toEqual([
      [4, 9],
      [11, 12],
    ]);
  });

  it("are a reply and everything after it while one of its calls is open", () => {
    expect(reaches("prompt a", "step 1", "reply r +x(a) +x(b)", "ok a 1", "start b x")).toEqual([
      [4, Number.POSITIVE_INFINITY],
    ]);
  });

  it("do not include a result that came after the next model call, which was made without it", () => {
    expect(reaches("prompt a", "step 1", "reply r +x(a)", "step 2", "ok a late", "reply s")).toEqual([]);
  });

  it("do not include a result whose reply is lost", () => {
    const story = tell("prompt a", "step 1", "reply r +x(a)", "ok a 1");
    expect([...reachesOf(story.without(4).entries)]).toEqual([]);
  });

  it("are the user's command and its end, with the notice that was written directly after it", () => {
    expect(
      reaches(
        "cp 1",
        `start ${test} Shell`,
        `ok ${test} out`,
        "cp 2",
        `start ${load} LoadContext`,
        "title while it ran",
        `ok ${load} read`,
        "notice these are the files",
        "notice something else",
        "cp 3",
        "prompt a",
      ),
    ).toEqual([
      [3, 4],
      [6, 9],
    ]);
    expect(reaches("notice before", `start ${test} Shell`, `ok ${test} out`)).toEqual([[3, 4]]);
  });

  it("are not a user's command that has no end, nor an end without a start", () => {
    expect(reaches("cp 1", `start ${test} Shell`, "notice n", `ok ${load} read`)).toEqual([]);
  });
});

describe("the calls of the user", () => {
  it("are known by their id, which is new each time", () => {
    const calls = [1, 2].map((digit) => newPersonCall((count) => new Uint8Array(count).fill(digit)));
    expect(calls).toEqual(["shell-111111111111", "shell-222222222222"]);
    expect(calls.map(isPersonCall)).toEqual([true, true]);
  });

  it.each([
    "call-000000000001",
    "000000000001",
    "shell-",
    "shell-1",
    "shell-00000000000l",
    "shell-0000000000012",
  ])("are not those with another id: %s", (call) => {
    expect(isPersonCall(call)).toBe(false);
  });

  it("are shown as the user typed them", () => {
    expect([typedFor(SHELL_TOOL, "npm test"), typedFor(LOAD_TOOL, "notes.md")]).toEqual([
      "! npm test",
      "/load-context notes.md",
    ]);
  });
});
