import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/record/parts.ts";
import { toolshed } from "./support/toolshed.ts";

/** Creates a file that the agent has already read. */
async function afterReading(content: string | Uint8Array) {
  const shed = toolshed();
  const path = join(shed.workspace, "a.ts");
  writeFileSync(path, content);
  await shed.call("Read", { file_path: "a.ts" });
  const edit = async (old: string, by: string, more: { [field: string]: Json } = {}) =>
    shed.call("Edit", { file_path: "a.ts", old_string: old, new_string: by, ...more });
  return { ...shed, path, edit, content: () => readFileSync(path, "utf8") };
}

describe("Edit", () => {
  it("replaces what occurs once, and shows the lines around it", async () => {
    const { edit, content, path } = await afterReading("1\n2\n3\nold\n5\n6\n7\n");
    const said = await edit("old\n5", "new\nnewer\n5");
    expect(said.text).toBe(
      "Edited a.ts. It now reads:\n     2\t2\n     3\t3\n     4\tnew\n     5\tnewer\n     6\t5\n     7\t6\n     8\t7",
    );
    expect([said.outcome, said.touched, said.seen?.length]).toEqual(["ok", [path], 1]);
    expect(content()).toBe("1\n2\n3\nnew\nnewer\n5\n6\n7\n");
  });

  it("may follow an edit without reading again", async () => {
    const { edit, content } = await afterReading("a b c");
    await edit("a", "1");
    await edit("b", "$&");
    expect(content()).toBe("1 $& c");
  });

  it("replaces every occurrence when asked to", async () => {
    const { edit, content } = await afterReading("x\n1\n2\n3\n4\n5\n6\nx x\n");
    const several =
      "old_string occurs 3 times in a.ts. Include more of the surrounding lines to make it unique, or set replace_all.";
    expect((await edit("x", "y")).text).toBe(several);
    expect((await edit("x", "y", { replace_all: true })).text).toBe(
      "Edited a.ts in 3 places. It now reads:\n     1\ty\n     2\t1\n     3\t2\n   ...\n     6\t5\n     7\t6\n     8\ty y",
    );
    expect(content()).toBe("y\n1\n2\n3\n4\n5\n6\ny y\n");
  });

  it.each([
    ["nothing", "x", "old_string is not in a.ts. Read that part of the file again and copy it exactly."],
    [
      "if (a) {\n  b",
      "x",
      "old_string is not in a.ts. It occurs with different whitespace: copy the indentation and line breaks exactly.",
    ],
    [
      "     1\tif (a) {",
      "x",
      "old_string is not in a.ts. Leave out the line numbers that Read puts before each line.",
    ],
    ["b", "b", "old_string and new_string are the same: there is nothing to change."],
    [
      "",
      "x",
      "a.ts already exists: an empty old_string can only create a new file. Use Write to replace all of it.",
    ],
  ])("refuses to replace %j by %j, and says why", async (old, by, text) => {
    const { edit, content } = await afterReading("if (a) {\n\tb;\n}\n");
    const said = await edit(old, by);
    expect([said.outcome, said.text]).toEqual(["error", text]);
    expect(content()).toBe("if (a) {\n\tb;\n}\n");
  });

  it("refuses what was never read on this branch, has changed, or is not there", async () => {
    const { edit, call, path, forget, workspace } = await afterReading("a");
    writeFileSync(path, "a!");
    expect((await edit("a", "b")).text).toBe(
      "a.ts has changed since you read it. Read it again, then change it.",
    );
    await call("Read", { file_path: "a.ts" });
    forget();
    expect((await edit("a", "b")).text).toBe(
      "a.ts exists, but you have not read it in this conversation. Read it first.",
    );
    writeFileSync(join(workspace, "other.ts"), "");
    const missing = await call("Edit", { file_path: "Other.ts", old_string: "a", new_string: "b" });
    expect(missing.text).toBe("The file Other.ts does not exist. Did you mean other.ts?");
    expect(readFileSync(path, "utf8")).toBe("a!");
  });

  it("creates a file from nothing", async () => {
    const { call, workspace } = toolshed();
    const said = await call("Edit", { file_path: "new/x.ts", old_string: "", new_string: "x\n" });
    expect(said.text).toBe("Created new/x.ts (1 line).");
    expect(readFileSync(join(workspace, "new/x.ts"), "utf8")).toBe("x\n");
  });

  it("keeps CRLF, the byte order mark and the mode", async () => {
    const { edit, content, path, call } = await afterReading("\ufeffone\r\ntwo\r\nthree\r\n");
    chmodSync(path, 0o640);
    await edit("one\ntwo", "1\n1.5\n2");
    expect(content()).toBe("\ufeff1\r\n1.5\r\n2\r\nthree\r\n");
    await edit("three", "3\n4");
    await edit("\n1.5", "");
    expect(content()).toBe("\ufeff1\r\n2\r\n3\r\n4\r\n");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect((await call("Read", { file_path: "a.ts" })).text).toBe(
      "     1\t1\n     2\t2\n     3\t3\n     4\t4\n[lines end with CRLF]",
    );
  });

  it("leaves what it cannot write back as it was", async () => {
    const { edit, path } = await afterReading(Buffer.from("caf\xe9\n", "latin1"));
    expect((await edit("caf", "tea")).text).toBe(
      "a.ts is not valid UTF-8, so an edit would damage it. Use Bash to change it.",
    );
    expect(readFileSync(path)).toEqual(Buffer.from("caf\xe9\n", "latin1"));
  });

  it("shows beforehand what would change, and why nothing would", async () => {
    const { preview } = await afterReading("a\nb\n");
    const wanted = { file_path: "a.ts", old_string: "b", new_string: "c" };
    expect(await preview("Edit", wanted)).toEqual({
      diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    });
    expect(await preview("Edit", { ...wanted, old_string: "z" })).toEqual({
      refused: {
        why: "old_string is not in a.ts. Read that part of the file again and copy it exactly.",
        reason: "edit-text-missing",
        params: { path: "a.ts", advice: "read-again" },
      },
    });
  });
});
