import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../../../../src/ports/person.ts";
import { drawChange } from "../../../../src/tui/screen/desk/drawers.ts";
import { withChange } from "../../../../src/tui/screen/desk/with-change.ts";
import { plainLook } from "../../support/plain-look.ts";

const request: PermissionRequest = {
  call: "toolu_1",
  tool: "Edit",
  input: { file_path: "/a.txt", old_string: "one\ntwo", new_string: "one\nthree" },
  about: "/a.txt",
  why: "",
  help: "mode",
  rule: "Edit",
};

describe("what a call would change, for whoever is asked", () => {
  it.each([
    ["Edit", request.input, ["  one", "- two", "+ three"]],
    ["Write", { file_path: "/a.txt", content: "one\n" }, ["1 + one"]],
    ["NotebookEdit", { notebook_path: "/n.ipynb", new_source: "print(2)" }, ["+ print(2)"]],
  ])("is told by the call itself where the agent says nothing of it: %s", (tool, input, lines) => {
    const { diff = "" } = withChange({ ...request, tool, input });
    expect(drawChange(diff, 40, plainLook())).toEqual(lines);
  });

  it("is what the agent says, and nothing for a call that names no change", () => {
    const told = { ...request, diff: "@@ -1 +1 @@\n-a\n+b\n" };
    const bash = { ...request, tool: "Bash", input: { command: "rm a.txt" } };
    expect([withChange(told), withChange(bash)]).toEqual([told, bash]);
  });
});
