import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

/** Each command is refused with this exit code, error code and reason, and with a hint. */
const refused: readonly (readonly [words: readonly string[], exit: number, code: string, reason: string])[] =
  [
    [["sessions", "lst"], 2, "USAGE", "command-unknown"],
    [["sessions", "--all"], 2, "USAGE", "command-misread"],
    [["sessions", "list", "--all", "--workspace", "."], 42, "INPUT_INVALID", "reach-contradicts"],
    [["sessions", "show", "nobody"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [
      ["sessions", "show", "find the leak", "--session", "nobody"],
      42,
      "SESSION_UNKNOWN",
      "session-not-found",
    ],
    [["sessions", "search"], 2, "USAGE", "command-misread"],
    [["sessions", "search", " "], 42, "INPUT_INVALID", "nothing-to-look-for"],
    [["sessions", "search", "x", "--limit", "many"], 42, "INPUT_INVALID", "not-a-whole-number"],
    [["sessions", "search", "x", "--session", "nobody"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [["sessions", "rename", "find the leak"], 2, "USAGE", "command-misread"],
    [["sessions", "rename", "nobody", "x"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [["sessions", "rename", "find the leak", " "], 42, "INPUT_INVALID", "title-invalid"],
    [["sessions", "rename", "find the leak", "two\nlines"], 42, "INPUT_INVALID", "title-invalid"],
    [["sessions", "rename", "find the leak", "long".repeat(60)], 42, "INPUT_INVALID", "title-invalid"],
    [["sessions", "delete"], 2, "USAGE", "session-to-delete-unnamed"],
    [["sessions", "delete", "find the leak", "nobody"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [["sessions", "delete", "find the leak", "--empty-trash"], 2, "USAGE", "trash-takes-no-session"],
    [
      ["sessions", "delete", "find the leak", "--setting", "trash.days=soon"],
      42,
      "INPUT_INVALID",
      "setting-value-invalid",
    ],
    [["sessions", "undelete"], 2, "USAGE", "session-to-undelete-unnamed"],
    [["sessions", "undelete", "find the leak"], 42, "SESSION_UNKNOWN", "session-not-in-trash"],
    [["sessions", "undelete", "--list", "x"], 2, "USAGE", "trash-list-takes-no-session"],
    [["sessions", "export", "nobody"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [["sessions", "export", "--format", "pdf"], 42, "INPUT_INVALID", "choice-invalid"],
    [["sessions", "export", "--format", "bundle"], 42, "INPUT_INVALID", "bundle-to-pipe"],
    [["sessions", "export", "-o", "there.md"], 42, "INPUT_INVALID", "output-exists"],
    [["sessions", "export", "-o", "."], 42, "INPUT_INVALID", "output-not-a-file"],
    [["sessions", "export", "-o", ".", "--force"], 42, "INPUT_INVALID", "output-not-a-file"],
    [["sessions", "export", "-o", "no/such/folder.md"], 42, "INPUT_INVALID", "output-folder-unwritable"],
    [["sessions", "export", "-o", "../home/sessions/mine.md"], 42, "INPUT_INVALID", "target-inside-home"],
    [["sessions", "export", "-o", ""], 42, "INPUT_INVALID", "output-empty"],
    [["sessions", "import"], 2, "USAGE", "import-unnamed"],
    [["sessions", "import", "nothing-here"], 42, "IMPORT_INVALID", "import-not-found"],
    [["sessions", "import", "there.md"], 42, "IMPORT_INVALID", "import-of-unknown-kind"],
    [["sessions", "import", "there.md", "--from", "bundle"], 42, "BUNDLE_INVALID", "bundle-invalid"],
    [["sessions", "import", ".", "--from", "bundle"], 42, "IMPORT_INVALID", "bundle-not-a-file"],
    [["sessions", "import", "."], 42, "IMPORT_INVALID", "import-nothing-there"],
    [["sessions", "import", "-"], 42, "BUNDLE_INVALID", "bundle-invalid"],
    [["sessions", "import", "-", "--from", "kimi"], 42, "IMPORT_INVALID", "kimi-from-pipe"],
    [["sessions", "import", "there.md", "--from", "git"], 42, "INPUT_INVALID", "choice-invalid"],
    [["sessions", "import", "--list", "there.md"], 2, "USAGE", "list-takes-no-path"],
    [
      ["sessions", "import", "there.md", "--workspace", "/no/where"],
      42,
      "WORKSPACE_UNUSABLE",
      "workspace-not-found",
    ],
    [["doctor", "--session", "nobody"], 42, "SESSION_UNKNOWN", "session-not-found"],
    [["doctor", "surplus"], 2, "USAGE", "command-misread"],
    [["forget"], 2, "USAGE", "one-thing-to-forget"],
    [["forget", "find the leak", "--text", "find the leak"], 2, "USAGE", "one-thing-to-forget"],
    [["forget", "find", "the", "leak"], 2, "USAGE", "command-misread"],
    [["forget", "abc"], 42, "INPUT_INVALID", "forget-text-short"],
    [["forget", ""], 42, "INPUT_INVALID", "forget-text-short"],
    [["forget", "--path", ""], 42, "INPUT_INVALID", "forget-path-empty"],
    [["forget", "-"], 42, "INPUT_INVALID", "forget-text-short"],
    [["forget", "there.md"], 42, "INPUT_INVALID", "file-or-text"],
    [["forget", "find the leak"], 42, "NEEDS_YES", "needs-consent"],
    [["forget", "said by nobody", "--yes"], 1, "NOTHING_TO_FORGET", "forget-text-nowhere"],
  ];

describe("bad input", () => {
  it.each(refused)("%j: exit code %i, %s (%s), and nothing is changed", async (words, exit, code, reason) => {
    const { home, workspace, worldline, everything } = playground();
    await tellConversation({ home, workspace });
    writeFileSync(join(workspace, "there.md"), "mine");
    const before = everything();
    const said = await worldline([...words, "--json"]);
    expect({ exit: said.code, ...JSON.parse(said.stdout).error }).toEqual({
      exit,
      code,
      reason,
      params: expect.any(Object),
      message: expect.any(String),
      hint: expect.any(String),
    });
    expect(everything()).toEqual(before);
  });

  it.each([
    ["t.bundle", ""],
    ["t.bundle", "garbage"],
    ["t.bundle", '{"role":"x"}'],
    ["notes", "garbage"],
  ])("says of %j that holds %j that it is nothing to import", async (name, content) => {
    const { workspace, worldline } = playground();
    writeFileSync(join(workspace, name), content);
    expect(await worldline(`sessions import ${name}`)).toMatchObject({
      code: 42,
      stderr: expect.stringContaining(`${name} is neither a bundle nor a kimi-cli session.\n`),
    });
  });

  it("does not even make the home", async () => {
    const { worldline, everything } = playground();
    const before = everything();
    for (const line of [
      "sessions import nothing-here",
      "forget nothing-here --yes",
      "sessions delete x",
      "doctor",
    ]) {
      await worldline(line);
    }
    expect(everything()).toEqual(before);
  });
});
