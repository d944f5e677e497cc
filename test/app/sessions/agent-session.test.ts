import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";

async function withModel(reply: ScriptedReply = { text: "Here." }) {
  const server = await openModelServer(scripted(reply));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  const ask = async (...more: string[]) => {
    const said = await place.worldline(["-p", "hello there", "--json", ...more], { environment });
    return { code: said.code, document: JSON.parse(said.stdout) };
  };
  return { ...place, at: (name: string) => join(place.workspace, name), ask };
}

describe("instructions of the workspace that are not used", () => {
  it.each([
    ["a link", (path: string) => symlinkSync("/etc/hostname", path), /^AGENTS\.md is a symbolic link/u],
    ["a link to nothing", (path: string) => symlinkSync("nowhere", path), /^AGENTS\.md is a symbolic link/u],
    ["a folder", (path: string) => mkdirSync(path), /^AGENTS\.md is not a regular file/u],
    [
      "too long",
      (path: string) => writeFileSync(path, "x ".repeat(20_001)),
      /only its first 40,000 characters/u,
    ],
  ])("are warned of: %s", async (_, make, warning) => {
    const { at, ask } = await withModel();
    make(at("AGENTS.md"));
    expect(await ask()).toMatchObject({ code: 0, document: { warnings: [expect.stringMatching(warning)] } });
  });

  it("are neither those that a link leads to nor those after the first", async () => {
    const { at, ask } = await withModel();
    writeFileSync(at("CLAUDE.md"), "Be brief.");
    symlinkSync("CLAUDE.md", at("AGENTS.md"));
    expect((await ask()).document.warnings).toBeUndefined();
    const other = await withModel();
    writeFileSync(other.at("AGENTS.md"), "Be brief.");
    symlinkSync("AGENTS.md", other.at("CLAUDE.md"));
    expect((await other.ask()).document.warnings).toBeUndefined();
  });
});

describe("a prompt that is too long for the model", () => {
  it("says what helps, where there is nothing to compact", async () => {
    const { ask } = await withModel({ misbehave: { do: "status", status: 413 } });
    const { document } = await ask("--output-format", "json");
    expect(document.error).toMatchObject({ code: "CONTEXT_TOO_LONG" });
    expect(document.warnings).toEqual([
      expect.stringMatching(/^Not compacted: Nothing to compact: .* Use a shorter prompt/u),
    ]);
  });
});

describe("a session that is not kept", () => {
  it("says which folder it needs, where that is not there", async () => {
    const { root, ask } = await withModel();
    const nowhere = join(root, "nowhere");
    vi.stubEnv("TMPDIR", nowhere);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await ask("--no-session")).toMatchObject({
      code: 1,
      document: {
        error: {
          code: "STORE_UNWRITABLE",
          message: expect.stringContaining(nowhere),
          hint: expect.stringContaining("Set TMPDIR"),
        },
      },
    });
  });
});
