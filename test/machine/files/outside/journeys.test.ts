import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { previewFiles } from "../../../../src/machine/files/preview.ts";
import { forkSession } from "../../../../src/machine/journeys/fork.ts";
import { holdSession, viewSession } from "../../../../src/machine/open.ts";
import { begin, holding, openSessionDeps, refusal, reopen, says } from "../../deps.ts";
import { allKinds, lastOf } from "../workspace.ts";
import { beginBeside, newFolder, outcomes, put, toldAt, writes } from "./outside-world.ts";

describe("a file outside the workspace that tools wrote", () => {
  it("goes back to how it was before the first of them, and forward again, after a restart too", async () => {
    const world = await beginBeside();
    put(world.at("a"), "one");
    const to = await writes(world.session, [world.at("a"), "two"]);
    await writes(world.session, [world.at("a"), "three \xff\0"]);
    const { journey: rewound, files } = await world.session.rewind({ to, scope: "both" });
    expect(files).toEqual({
      paths: [{ path: world.at("a"), outcome: "restored" }],
      ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
      differ: [],
    });
    expect(world.told("a")).toBe("one 644");
    const again = await reopen(world.deps, world.session);
    await again.prompt("go on");
    const { journey } = await again.redo(rewound);
    expect(world.told("a")).toBe("three \xff\0 644");
    await again.redo(journey);
    expect(world.told("a")).toBe("one 644");
    expect(readdirSync(world.folder)).toEqual(["a"]);
  });

  it("is recorded before anything is touched, with its outcome, and reported to the model", async () => {
    const { session, at } = await beginBeside();
    const to = await writes(session, [at("new"), "made"]);
    await session.rewind({ to, scope: "files" });
    const journey = await lastOf(session, "rewind");
    expect(journey?.outside).toEqual([
      { path: at("new"), before: { blob: expect.any(String), mode: 0o644, size: 4 } },
    ]);
    expect(await lastOf(session, "restored")).toMatchObject({ journey: journey?.id, removed: 1 });
    expect((await says(session)).join("\n")).toContain(`Removed from disk:\n- "${at("new")}"`);
  });

  it("is removed where a tool had made it, and made again with its folder and mode", async () => {
    const world = await beginBeside();
    const to = await writes(world.session, [world.at("deep/down/key"), "secret", 0o600]);
    await world.session.rewind({ to, scope: "both" });
    expect(world.told("deep/down/key")).toBe("nothing");
    renameSync(world.at("deep"), world.at("moved"));
    await world.session.redo();
    expect(world.told("deep/down/key")).toBe("secret 600");
  });

  it("comes back where a later call had removed it", async () => {
    const world = await beginBeside();
    put(world.at("a"), "one", 0o4755);
    const to = await writes(world.session, [world.at("a"), "two", 0o4755]);
    await writes(world.session, [world.at("a"), undefined]);
    await world.session.rewind({ to, scope: "files" });
    expect(world.told("a")).toBe("one 4755");
    await world.session.redo();
    expect(world.told("a")).toBe("nothing");
  });

  it("goes back where only its mode was changed", async () => {
    const world = await beginBeside();
    put(world.at("a"), "one", 0o600);
    const to = await writes(world.session, [world.at("a"), "one", 0o644]);
    await world.session.rewind({ to, scope: "files" });
    expect(world.told("a")).toBe("one 600");
  });

  it("goes with the files of the workspace, whose counts it joins", async () => {
    const { session, files, at, told } = await beginBeside();
    files.write("inside", "one");
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    files.write("inside", "two");
    const preview = await session.previewFiles({ to });
    expect(preview.steps.map(({ path }) => path)).toEqual(["inside", at("a")]);
    await session.rewind({ to, scope: "both" });
    expect(await lastOf(session, "restored")).toMatchObject({ restored: 2, kept: 0, failed: 0 });
    expect([files.told, told("a")]).toEqual([{ inside: "one" }, "one 644"]);
    await session.redo();
    expect([files.told, told("a")]).toEqual([{ inside: "two" }, "two 644"]);
  });

  it("stays where the journey is limited to paths of the workspace", async () => {
    const { session, files, at, told } = await beginBeside();
    files.write("inside", "one");
    const to = await writes(session, [at("a"), "two"]);
    files.write("inside", "two");
    await session.rewind({ to, scope: "files", only: ["inside"] });
    expect([files.told, told("a")]).toEqual([{ inside: "one" }, "two 644"]);
  });

  it("stays where the conversation goes alone, which says that it differs", async () => {
    const { session, at, told } = await beginBeside();
    const to = await writes(session, [at("a"), "two"]);
    const { files } = await session.rewind(to);
    expect([files.differ.map(({ path }) => path), told("a")]).toEqual([[at("a")], "two 644"]);
    expect((await says(session)).at(-1)).toContain(at("a"));
    // The rewind left the agent's change on the disk, so that change is what is taken back.
    await session.rewind({ to, scope: "files" });
    expect(told("a")).toBe("nothing");
  });

  it("is not touched by a rewind to a place that it is as it was at", async () => {
    const { session, at } = await beginBeside();
    const to = await writes(session, [at("a"), "two"]);
    await writes(session, [at("a"), undefined]);
    expect(await refusal(session.rewind({ to, scope: "files" }))).toContain("REWIND_REFUSED");
    expect(await allKinds(session)).not.toContain("restored");
  });

  it("goes back with the agent, which is told what stays", async () => {
    const { session, at, told } = await beginBeside();
    put(at("a"), "one");
    put(at("b"), "one");
    const to = await writes(session, [at("a"), "two"], [at("b"), "two"]);
    put(at("b"), "by hand");
    await session.step();
    const part = { type: "tool-call", call: "back", name: "Backtrack", input: {} } as const;
    await session.reply({ model: "m", parts: [part] });
    await session.toolStart("back", "Backtrack");
    await session.requestBacktrack("back", { to, note: "a dead end", files: "restore" });
    expect(await session.endStep()).toMatchObject({ status: "carried-out", files: { restored: 1, kept: 1 } });
    expect([told("a"), told("b")]).toEqual(["one 644", "by hand 644"]);
    expect((await lastOf(session, "backtrack"))?.changed).toEqual([at("b")]);
    await session.redo();
    expect([told("a"), told("b")]).toEqual(["two 644", "by hand 644"]);
  });

  it("can be previewed without changing anything, even by read-only callers", async () => {
    const { deps, session, files, at, told } = await beginBeside();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    const blobs = await deps.store.listBlobs(session.id);
    put(at("a"), "by hand");
    const view = await viewSession(deps.store, session.id);
    const preview = await previewFiles({ view, files }, { to });
    expect(preview).toMatchObject({ steps: [], kept: [{ path: at("a"), why: "outside" }], deletions: 0 });
    expect(preview.conflicts).toMatchObject([{ path: at("a"), choice: "keep" }]);
    expect([told("a"), await deps.store.listBlobs(session.id)]).toEqual(["by hand 644", blobs]);
  });

  it("goes back in a fork, as far as its branch knows of it", async () => {
    const { deps, session, at, told } = await beginBeside();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    await session.step();
    const id = await forkSession(deps, session);
    const fork = await holdSession(deps, id, holding);
    await fork.rewind({ to, scope: "files" });
    expect(told("a")).toBe("one 644");
  });
});

describe("a file outside the workspace that was changed outside the session", () => {
  it("is kept, and taken only if the user says so; then redo restores the user's edit", async () => {
    const { session, at, told } = await beginBeside();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"], [at("b"), "made"]);
    put(at("a"), "by hand");
    put(at("b"), "made", 0o600);
    await session.rewind({ to, scope: "files", choice: "merge" });
    const why = "changed outside this session";
    expect(await outcomes(session)).toEqual([`${at("a")}: kept (${why})`, `${at("b")}: kept (${why})`]);
    await session.rewind({ to, scope: "files", choices: new Map([[at("a"), "take"]]) });
    expect([told("a"), told("b")]).toEqual(["one 644", "made 600"]);
    await session.redo();
    expect(told("a")).toBe("by hand 644");
  });

  it("is kept also where a tool wrote it again after them", async () => {
    const { session, at, told } = await beginBeside();
    put(at("a"), "one");
    const to = await writes(session, [at("a"), "two"]);
    put(at("a"), "by hand");
    const later = await writes(session, [at("a"), "three"]);
    await session.rewind({ to, scope: "files" });
    expect(told("a")).toBe("three 644");
    await session.rewind({ to: later, scope: "files" });
    expect(told("a")).toBe("by hand 644");
  });

  it("is never reached through a link that was put in its way, not even where it is to be taken", async () => {
    const { session, at, folder } = await beginBeside();
    const other = newFolder();
    put(at("d/a"), "one");
    put(at("b"), "one");
    const to = await writes(session, [at("d/a"), "two"], [at("b"), "two"], [at("e/c"), "two"]);
    renameSync(at("d"), at("was-d"));
    put(`${other}/a`, "two");
    symlinkSync(other, at("d"));
    put(`${other}/b`, "two");
    put(at("b"), undefined);
    symlinkSync(`${other}/b`, at("b"));
    put(at("e/c"), undefined);
    mkdirSync(at("e/c"));
    await session.rewind({ to, scope: "files", choice: "take" });
    const why = "now points elsewhere, or is no longer a file";
    expect(await outcomes(session)).toEqual([
      `${at("b")}: kept (${why})`,
      `${at("d/a")}: kept (${why})`,
      `${at("e/c")}: kept (${why})`,
    ]);
    expect([toldAt(`${other}/a`), toldAt(`${other}/b`)]).toEqual(["two 644", "two 644"]);
    expect(readdirSync(folder).sort()).toEqual(["b", "d", "e", "was-d"]);
  });

  it("fails alone where its folder is something else by now, and the rest goes back", async () => {
    const { session, at, told } = await beginBeside();
    put(at("a"), "one");
    put(at("d/b"), "one");
    const to = await writes(session, [at("a"), "two"], [at("d/b"), undefined]);
    renameSync(at("d"), at("e"));
    put(at("d"), "a file");
    await session.rewind({ to, scope: "files" });
    expect(await outcomes(session)).toEqual([
      `${at("a")}: restored`,
      `${at("d/b")}: failed (something else is in the way)`,
    ]);
    expect([told("a"), told("d")]).toEqual(["one 644", "a file 644"]);
    await session.redo();
    expect([told("a"), told("d")]).toEqual(["two 644", "a file 644"]);
  });

  it("stays if it is not a plain file, or was none", async () => {
    const { session, at, told } = await beginBeside();
    const to = await writes(session, [at("a"), "made"]);
    const watch = await session.watchOutside([at("pipe")]);
    execFileSync("mkfifo", [at("pipe")]);
    const outside = await watch?.changes();
    expect(outside).toEqual([{ path: at("pipe"), after: { why: "special" } }]);
    await session.toolEnd("other", "ok", { parts: [], outside: outside ?? [] });
    await session.rewind({ to, scope: "files", choice: "take" });
    expect(await outcomes(session)).toEqual([
      `${at("a")}: restored`,
      `${at("pipe")}: kept (now points elsewhere, or is no longer a file)`,
    ]);
    expect([told("a"), told("pipe")]).toEqual(["nothing", "no file"]);
  });
});

describe("watching a call that writes outside the workspace", () => {
  it("says nothing of what is within it, or stayed as it was", async () => {
    const { session, at } = await beginBeside();
    put(at("a"), "one");
    const watch = await session.watchOutside(["/work/inside", at("a"), at("absent")]);
    put(at("a"), "one");
    expect(await watch?.changes()).toEqual([]);
  });

  it("is not offered if files are not followed", async () => {
    const session = await begin(openSessionDeps());
    expect(await session.watchOutside(["/somewhere"])).toBeUndefined();
    const { checkpoint } = await session.prompt("hello");
    expect(await refusal(session.rewind({ to: checkpoint, scope: "files" }))).toContain("REWIND_REFUSED");
  });
});
