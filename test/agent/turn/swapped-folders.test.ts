import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/record/parts.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

/** Answers a permission question after the folder in question was replaced with a link. */
async function answeredAfterSwap(call: { name: string; input: Record<string, string> }) {
  let beside = "";
  const { agent, session, workspace } = await stage({
    responder: scripted({ calls: [call] }, { text: "Done." }),
    person: {
      allow: async () => {
        renameSync(join(beside, "asked"), join(beside, "away"));
        symlinkSync(join(beside, "secret"), join(beside, "asked"));
        return { answer: "once" };
      },
    },
  });
  beside = join(workspace, "..");
  for (const name of ["asked", "secret"]) {
    mkdirSync(join(beside, name));
    writeFileSync(join(beside, name, "file"), `of ${name}\n`);
  }
  await agent.prompt("go on");
  const [end] = await session.entriesOf("tool-end");
  const files = readdirSync(join(beside, "secret")).map((name) => [
    name,
    readFileSync(join(beside, "secret", name), "utf8"),
  ]);
  return { outcome: end?.outcome, text: textOf(end?.parts ?? []), secret: files };
}

describe("a call whose folder becomes a link while the user is asked", () => {
  it("writes no new file where the link leads", async () => {
    const done = await answeredAfterSwap({
      name: "Write",
      input: { file_path: "../asked/new", content: "written" },
    });
    expect(done).toEqual({
      outcome: "error",
      text: expect.stringContaining("now leads to a different place than when permission was checked"),
      secret: [["file", "of secret\n"]],
    });
  });

  it("makes no folders there", async () => {
    const input = { file_path: "../asked/deep/er/new", content: "written" };
    const done = await answeredAfterSwap({ name: "Write", input });
    expect([done.outcome, done.secret]).toEqual(["error", [["file", "of secret\n"]]]);
  });

  it("reads nothing there", async () => {
    const done = await answeredAfterSwap({ name: "Read", input: { file_path: "../asked/file" } });
    expect(done).toEqual({
      outcome: "error",
      text: expect.stringContaining("a folder in its path was replaced by a link"),
      secret: [["file", "of secret\n"]],
    });
  });

  it.each(["Grep", "Glob"])("finds nothing there with %s", async (name) => {
    const done = await answeredAfterSwap({
      name,
      input: { path: "../asked", pattern: name === "Grep" ? "secret" : "*" },
    });
    expect([done.outcome, done.text]).toEqual([
      "error",
      expect.stringContaining("cannot be searched: a symbolic link has just taken its place"),
    ]);
  });
});
