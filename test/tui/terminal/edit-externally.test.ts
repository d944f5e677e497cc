import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { editExternally } from "../../../src/tui/terminal/prompt-input.ts";

function edit(environment: Record<string, string>, text = "draft"): Promise<string> {
  return editExternally({ environment, onInterrupt: () => () => undefined }, text);
}

const PATH = "/usr/bin:/bin";

describe("editing in the user's own editor", () => {
  it("gives back what was written, without the editor's last line break", async () => {
    await inTempFolder(async (folder) => {
      const seen = join(folder, "seen");
      const EDITOR = `sh -c 'stat -c %a "$0" > "${seen}"; echo "$0" >> "${seen}"; echo more >> "$0"'`;
      expect(await edit({ PATH, EDITOR }, "draft\n")).toBe("draft\nmore");
      const [mode, file = ""] = readFileSync(seen, "utf8").split("\n");
      expect([mode, existsSync(file)]).toEqual(["600", false]);
    });
  });

  it("goes by VISUAL before EDITOR, and leaves an untouched text as it is", async () => {
    expect(await edit({ PATH, VISUAL: "true", EDITOR: "false" }, "two\nlines")).toBe("two\nlines");
  });

  it("says so if the editor fails, or there is none", async () => {
    await expect(edit({ PATH, EDITOR: "false" })).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await expect(edit({ PATH, EDITOR: "no-such-editor" })).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await expect(edit({ PATH: "/nonexistent" })).rejects.toThrow(/No editor is set/u);
  });
});
