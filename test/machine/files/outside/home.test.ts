import { describe, expect, it } from "vitest";
import { previewFiles } from "../../../../src/machine/files/preview.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import { reopen, says } from "../../deps.ts";
import { lastOf } from "../workspace.ts";
import { beginAtHome, newFolder, put, toldAt, writes } from "./outside-world.ts";

describe("in a workspace that is not captured", () => {
  it("files that tools touched go back and forward, and the user learns that only those are known", async () => {
    const { deps, session, at, told } = await beginAtHome();
    const elsewhere = `${newFolder()}/b`;
    put(at("notes"), "one", 0o600);
    put(at("untouched"), "one");
    await session.prompt("go");
    const to = await writes(session, [at("notes"), "two", 0o600], [elsewhere, "made"]);
    put(at("untouched"), "two");
    const view = await viewSession(deps.store, session.id);
    const preview = await previewFiles({ view }, { to });
    expect(preview).toMatchObject({ tracked: "touched", deletions: 1, gitHead: {}, kept: [], conflicts: [] });
    expect(preview.steps.map(({ path }) => path).sort()).toEqual([at("notes"), elsewhere].sort());
    const { files } = await session.rewind({ to, scope: "both" });
    expect(files).toMatchObject({ tracked: "touched", restored: 1, removed: 1, kept: 0, failed: 0 });
    expect([told("notes"), toldAt(elsewhere), told("untouched")]).toEqual(["one 600", "nothing", "two 644"]);
    expect((await says(session)).join("\n")).toContain("Only files that your tools wrote are tracked here.");
    expect((await lastOf(session, "restored"))?.snapshot).toBeUndefined();
    const again = await reopen(deps, session);
    await again.redo();
    expect([told("notes"), toldAt(elsewhere)]).toEqual(["two 600", "made 644"]);
  });

  it("a journey may be limited to some of them", async () => {
    const { session, at, told } = await beginAtHome();
    const to = await writes(session, [at("a"), "made"], [at("d/b"), "made"]);
    await session.rewind({ to, scope: "files", only: ["d"] });
    expect([told("a"), told("d/b")]).toEqual(["made 644", "nothing"]);
    await session.redo();
    expect(told("d/b")).toBe("made 644");
  });

  it("the agent can take its files back with it", async () => {
    const { session, at, told } = await beginAtHome();
    const to = await writes(session, [at("a"), "made"]);
    await session.step();
    const part = { type: "tool-call", call: "back", name: "Backtrack", input: {} } as const;
    await session.reply({ model: "m", parts: [part] });
    await session.toolStart("back", "Backtrack");
    const request = { to, note: "a dead end", files: "restore" } as const;
    expect(await session.requestBacktrack("back", request)).toEqual({ status: "filed" });
    expect(await session.endStep()).toMatchObject({ status: "carried-out", files: { removed: 1 } });
    expect(told("a")).toBe("nothing");
    await session.redo();
    expect(told("a")).toBe("made 644");
  });
});
