import { describe, expect, it } from "vitest";
import { readShellEnd, shellEndText } from "../../src/timeline/calls.ts";

describe("the end of a command", () => {
  it.each([
    { ended: "exited", code: 3 },
    { ended: "signalled", signal: "SIGTERM" },
  ] as const)("is read from the last line of its result: %j", (end) => {
    const line = shellEndText(end) ?? "";
    expect(readShellEnd(line)).toEqual(end);
    expect(readShellEnd(`out\n[The command exited, but bash_1 is still running.]\n${line}`)).toEqual(end);
    expect(readShellEnd(`${line}\n[Timed out after 5 ms.]`)).toBeUndefined();
    expect(readShellEnd(`says ${line}`)).toBeUndefined();
  });

  it("is not told where it is a normal one", () => {
    expect(shellEndText({ ended: "exited", code: 0 })).toBeUndefined();
  });
});
