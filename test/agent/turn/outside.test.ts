import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

describe("a turn that writes outside the workspace", () => {
  it("can be taken back and made again, with the files of the workspace", async () => {
    const { agent, session, workspace, write, read, again } = await stage({
      responder: (request, turn) => script(request, turn),
      person: { allow: async () => ({ answer: "once" }) },
    });
    const beside = join(workspace, "..", "beside.txt");
    const made = join(workspace, "..", "made.txt");
    const script = scripted(
      { calls: [{ name: "Read", input: { file_path: "../beside.txt" } }] },
      {
        calls: [
          { name: "Edit", input: { file_path: beside, old_string: "one", new_string: "two" } },
          { name: "Write", input: { file_path: "../made.txt", content: "made\n" } },
          { name: "Write", input: { file_path: "inside.txt", content: "inside\n" } },
        ],
      },
      { text: "Done." },
    );
    writeFileSync(beside, "one\n", { mode: 0o600 });
    write("other.txt", "other\n");
    expect(await agent.prompt("write outside")).toMatchObject({ outcome: "done" });
    const ends = await session.entriesOf("tool-end");
    expect(ends.map(({ outside }) => outside?.map(({ path }) => path))).toEqual([
      undefined,
      [beside],
      [made],
      undefined,
    ]);
    await session.rewind({ to: 1, scope: "both" });
    expect([readFileSync(beside, "utf8"), existsSync(made)]).toEqual(["one\n", false]);
    expect(existsSync(join(workspace, "inside.txt"))).toBe(false);
    const next = await again();
    await next.session.redo();
    expect([readFileSync(beside, "utf8"), readFileSync(made, "utf8")]).toEqual(["two\n", "made\n"]);
    expect([statSync(beside).mode & 0o777, read("inside.txt")]).toEqual([0o600, "inside\n"]);
  });
});
