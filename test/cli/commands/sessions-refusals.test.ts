import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

/** Each is refused with that exit code and code, and with a hint. */
const refused: readonly (readonly [words: readonly string[], exit: number, code: string])[] = [
  [["sessions", "lst"], 2, "USAGE"],
  [["sessions", "--all"], 2, "USAGE"],
  [["sessions", "list", "--all", "--workspace", "."], 42, "INPUT_INVALID"],
  [["sessions", "show", "nobody"], 42, "SESSION_UNKNOWN"],
  [["sessions", "show", "find the leak", "--session", "nobody"], 42, "SESSION_UNKNOWN"],
  [["sessions", "search"], 2, "USAGE"],
  [["sessions", "search", " "], 42, "INPUT_INVALID"],
  [["sessions", "search", "x", "--limit", "many"], 42, "INPUT_INVALID"],
  [["sessions", "search", "x", "--session", "nobody"], 42, "SESSION_UNKNOWN"],
  [["sessions", "rename", "find the leak"], 2, "USAGE"],
  [["sessions", "rename", "nobody", "x"], 42, "SESSION_UNKNOWN"],
  [["sessions", "rename", "find the leak", " "], 42, "INPUT_INVALID"],
  [["sessions", "rename", "find the leak", "two\nlines"], 42, "INPUT_INVALID"],
  [["sessions", "rename", "find the leak", "long".repeat(60)], 42, "INPUT_INVALID"],
  [["sessions", "delete"], 2, "USAGE"],
  [["sessions", "delete", "find the leak", "nobody"], 42, "SESSION_UNKNOWN"],
  [["sessions", "delete", "find the leak", "--empty-trash"], 2, "USAGE"],
  [["sessions", "delete", "find the leak", "--setting", "trash.days=soon"], 42, "INPUT_INVALID"],
  [["sessions", "undelete"], 2, "USAGE"],
  [["sessions", "undelete", "find the leak"], 42, "SESSION_UNKNOWN"],
  [["sessions", "undelete", "--list", "x"], 2, "USAGE"],
  [["sessions", "export", "nobody"], 42, "SESSION_UNKNOWN"],
  [["sessions", "export", "--format", "pdf"], 42, "INPUT_INVALID"],
  [["sessions", "export", "--format", "bundle"], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", "there.md"], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", "."], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", ".", "--force"], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", "no/such/folder.md"], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", "../home/sessions/mine.md"], 42, "INPUT_INVALID"],
  [["sessions", "export", "-o", ""], 42, "INPUT_INVALID"],
  [["sessions", "import"], 2, "USAGE"],
  [["sessions", "import", "nothing-here"], 42, "IMPORT_INVALID"],
  [["sessions", "import", "there.md"], 42, "IMPORT_INVALID"],
  [["sessions", "import", "there.md", "--from", "bundle"], 42, "BUNDLE_INVALID"],
  [["sessions", "import", ".", "--from", "bundle"], 42, "IMPORT_INVALID"],
  [["sessions", "import", "."], 42, "IMPORT_INVALID"],
  [["sessions", "import", "-"], 42, "BUNDLE_INVALID"],
  [["sessions", "import", "-", "--from", "kimi"], 42, "IMPORT_INVALID"],
  [["sessions", "import", "there.md", "--from", "git"], 42, "INPUT_INVALID"],
  [["sessions", "import", "--list", "there.md"], 2, "USAGE"],
  [["sessions", "import", "there.md", "--workspace", "/no/where"], 42, "WORKSPACE_UNUSABLE"],
  [["doctor", "--session", "nobody"], 42, "SESSION_UNKNOWN"],
  [["doctor", "surplus"], 2, "USAGE"],
  [["forget"], 2, "USAGE"],
  [["forget", "find the leak", "--text", "find the leak"], 2, "USAGE"],
  [["forget", "find", "the", "leak"], 2, "USAGE"],
  [["forget", "abc"], 42, "INPUT_INVALID"],
  [["forget", ""], 42, "INPUT_INVALID"],
  [["forget", "--path", ""], 42, "INPUT_INVALID"],
  [["forget", "-"], 42, "INPUT_INVALID"],
  [["forget", "there.md"], 42, "INPUT_INVALID"],
  [["forget", "find the leak"], 42, "NEEDS_YES"],
  [["forget", "said by nobody", "--yes"], 1, "NOTHING_TO_FORGET"],
];

describe("bad input", () => {
  it.each(refused)("%j: exit code %i, %s, and nothing is changed", async (words, exit, code) => {
    const { home, workspace, worldline, everything } = playground();
    await tellConversation({ home, workspace });
    writeFileSync(join(workspace, "there.md"), "mine");
    const before = everything();
    const said = await worldline([...words, "--json"]);
    expect({ exit: said.code, ...JSON.parse(said.stdout).error }).toEqual({
      exit,
      code,
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
      stderr: expect.stringContaining(`${name} is neither a bundle nor a session of kimi-cli.\n`),
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
