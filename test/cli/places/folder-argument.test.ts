import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withFolderArgument } from "../../../src/cli/places/folder-argument.ts";
import { commands } from "../../../src/cli/registry.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";

describe("a folder in the place of a command", () => {
  it("is the workspace whose sessions are shown; commands, files and other words are left as they are", async () => {
    await inTempFolder(async (folder) => {
      mkdirSync(join(folder, "project"));
      mkdirSync(join(folder, "tree"));
      writeFileSync(join(folder, "file"), "");
      const words = (...given: string[]) => withFolderArgument(given, commands, () => folder);
      expect(words("project", "--json")).toEqual(["sessions", "list", "--workspace", "project", "--json"]);
      expect(words("./tree")).toEqual(["sessions", "list", "--workspace", "./tree"]);
      expect(words("tree")).toEqual(["tree"]);
      expect(words("file")).toEqual(["file"]);
      expect(words("project\0")).toEqual(["project\0"]);
      expect(words("nothing here")).toEqual(["nothing here"]);
      expect(words("--json", "project")).toEqual(["--json", "project"]);
      expect(words()).toEqual([]);
    });
  });
});
