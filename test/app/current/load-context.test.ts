import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

const MOST = 256 * 1024;

/** An app without a model, and how many entries its log has. */
async function opened(place = playground(), request: Parameters<typeof openAppAt>[1] = {}) {
  const { app } = await openAppAt(place, request);
  const entries = async () => (await app.queries.page({ count: 50 })).entries;
  return {
    app,
    entries,
    put: (path: string, text: string) => writeFileSync(join(place.workspace, path), text),
  };
}

describe("loading a file into the conversation", () => {
  it("logs a call of the user after a checkpoint, and tells the model what the file contains", async () => {
    const { app, entries, put } = await opened();
    put("notes.md", "Pears.\n");
    const before = await entries();
    const seen = new Set<string>();
    const loaded = await app.upkeep.loadContext("notes.md", ({ doing }) => seen.add(doing));
    expect(loaded).toEqual({ file: "notes.md", tokens: 2 });
    const added = (await entries()).slice(before.length);
    expect(added.map(({ kind }) => kind)).toEqual([
      ...["checkpoint", "snapshot", "tool-start", "tool-end", "notice"],
    ]);
    const [call] = added.flatMap((entry) => (entry.kind === "tool-start" ? [entry.call] : []));
    expect(call).toMatch(/^shell-[0-9a-z]+$/u);
    expect(added.slice(2)).toEqual([
      expect.objectContaining({ name: "LoadContext", call, input: { file_path: "notes.md" } }),
      expect.objectContaining({ call, outcome: "ok", parts: [{ type: "text", text: "Pears.\n" }] }),
      expect.objectContaining({
        text: expect.stringMatching(
          /^The user loaded the file "?notes\.md"? into the conversation.*Pears\./su,
        ),
      }),
    ]);
    expect(seen).toEqual(new Set(["capture"]));
  });

  it("takes the instructions of the workspace if no file is named", async () => {
    const { app, entries, put } = await opened();
    const none = app.upkeep.loadContext(undefined);
    await expect(none).rejects.toMatchObject({ reason: "no-instructions-to-load" });
    put("AGENTS.md", "Use tabs.\n");
    expect(await app.upkeep.loadContext(undefined)).toMatchObject({ file: "AGENTS.md" });
    expect((await entries()).at(-1)).toMatchObject({
      text: expect.stringContaining("the instructions of this workspace as they are now, "),
    });
  });

  it("shows a file outside the workspace by its whole path, also in the user's home folder", async () => {
    const place = playground();
    const outside = join(place.root, "outside.md");
    writeFileSync(outside, "Pears.\n");
    mkdirSync(join(place.workspace, "docs"));
    const { app, put } = await opened(place);
    put("docs/a.md", "Apples.\n");
    for (const path of [outside, "~/outside.md", "../outside.md"])
      expect(await app.upkeep.loadContext(path)).toMatchObject({ file: outside });
    for (const path of ["docs/a.md", "./docs/../docs/a.md", join(place.workspace, "docs/a.md")])
      expect(await app.upkeep.loadContext(path)).toMatchObject({ file: "docs/a.md" });
  });

  it("logs nothing if the file cannot be used, and says why", async () => {
    const place = playground();
    const { app, entries, put } = await opened(place);
    put("empty.md", " \n");
    put("nul.bin", "a\0b");
    writeFileSync(join(place.workspace, "latin.txt"), Uint8Array.of(0xe9, 0x74));
    put("whole.md", "x".repeat(MOST));
    put("large.md", "x".repeat(MOST + 1));
    symlinkSync("loop", join(place.workspace, "loop"));
    const why = async (path: string) =>
      app.upkeep.loadContext(path).catch(({ reason, params }) => [reason, params]);
    const before = await entries();
    expect([
      await why("missing.md"),
      await why("empty.md"),
      await why("nul.bin"),
      await why("latin.txt"),
      await why("large.md"),
      await why("loop"),
      await why("/dev/null"),
      await why("."),
    ]).toEqual([
      ["file-to-load-missing", { path: "missing.md" }],
      ["file-empty", { path: "empty.md" }],
      ["file-to-load-not-text", { path: "nul.bin" }],
      ["file-to-load-not-text", { path: "latin.txt" }],
      ["file-too-large-to-load", { path: "large.md", bytes: MOST + 1, most: MOST }],
      ["file-to-load-unreadable", { path: "loop", code: "ELOOP" }],
      ["file-to-load-no-file", { path: "/dev/null", is: "other" }],
      ["file-to-load-no-file", { path: place.workspace, is: "directory" }],
    ]);
    expect(await entries()).toEqual(before);
    expect(await app.upkeep.loadContext("whole.md")).toMatchObject({ file: "whole.md" });
  });

  it("obeys a rule that denies the file or what a link leads to, but needs no permission", async () => {
    const place = playground();
    const { app, put } = await opened(place, {
      request: { deny: ["Read(secret.md)"], mode: "plan" },
    });
    put("secret.md", "s3cret\n");
    put("open.md", "Pears.\n");
    symlinkSync("secret.md", join(place.workspace, "link.md"));
    symlinkSync("open.md", join(place.workspace, "fine.md"));
    for (const path of ["secret.md", "link.md"]) {
      await expect(app.upkeep.loadContext(path)).rejects.toMatchObject({
        reason: "file-denied",
        params: { path, because: { code: "denied-by-rule", rule: "Read(secret.md)" } },
      });
    }
    expect(await app.upkeep.loadContext("fine.md")).toMatchObject({ file: "fine.md" });
    expect(await app.upkeep.loadContext("/etc/hostname")).toMatchObject({ file: "/etc/hostname" });
  });

  it.each([
    ["has as many tokens as are free", 9_000],
    ["is added to a conversation that is too long already", 10],
  ])("is refused if the file %s", async (_what, window) => {
    const place = playground();
    place.write("user", JSON.stringify({ models: { "anthropic/claude-sonnet-5-5": { window } } }));
    const { app } = await talkingApp(place);
    const free = Math.max(0, window - (await app.queries.context()).used);
    const file = join(place.workspace, "long.md");
    let words = free + 1;
    while (estimateTokens("pear ".repeat(words)) > Math.max(1, free)) words -= 1;
    const tokens = estimateTokens("pear ".repeat(words));
    writeFileSync(file, "pear ".repeat(words));
    await expect(app.upkeep.loadContext("long.md")).rejects.toMatchObject({
      reason: "file-larger-than-context",
      params: { path: "long.md", tokens, free },
    });
    if (free === 0) return;
    writeFileSync(file, "pear ".repeat(words - 1));
    expect(await app.upkeep.loadContext("long.md")).toEqual({ file: "long.md", tokens: free - 1 });
  });
});
