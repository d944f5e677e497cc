import { describe, expect, it } from "vitest";
import type { OpenedFiles } from "../../../src/app/files/files.ts";
import {
  type RewindTarget,
  rewindTarget,
  type ScopeRequest,
  scopeOffer,
  settleScope,
} from "../../../src/app/journeys/scope.ts";
import { settleRewind } from "../../../src/app/rewind.ts";
import { filesAt } from "../../../src/machine/files/look.ts";
import type { FilesAt } from "../../../src/machine/files/requests.ts";
import type { NewSession } from "../../../src/machine/open.ts";
import { remark, WorldlineError } from "../../../src/record/error.ts";
import type { SnapshotId } from "../../../src/record/ids.ts";
import { requireCheckpoint } from "../../../src/travel/rewind.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { begin, openSessionDeps } from "../../machine/deps.ts";
import { TestRewinder } from "../../machine/files/rewinder.ts";
import { MemoryWorkspace } from "../../machine/memory-workspace.ts";
import { contextAt } from "../support/context-at.ts";

const problem = new WorldlineError("checkpointing-off", {});
const unusable = new WorldlineError("workspace-not-listed", { workspace: "/work" });

/** A session in memory whose first checkpoint is the place of a rewind, at the head or before more work. */
async function place(
  mode: NonNullable<NewSession["mode"]>,
  given: {
    /** Where the checkpoint is. */
    readonly at?: "head" | "before";
    readonly files?: "on" | "off" | "unusable" | "touched";
    readonly state?: FilesAt;
    readonly rewinder?: "able" | "unable";
  } = {},
): Promise<RewindTarget> {
  const { at = "before", files: state = "on", rewinder } = given;
  const files = new MemoryWorkspace();
  const session = await begin({ ...openSessionDeps(), files }, { mode });
  const number = await session.checkpoint(undefined, { author: "outside" });
  if (at === "before") {
    if (mode === "agent") await session.prompt("more");
    else await session.checkpoint(undefined, { author: "outside" });
  }
  const closed: Record<string, OpenedFiles> = {
    off: { state: "off", error: problem },
    unusable: { state: "unusable", error: unusable },
    touched: { state: "unusable", error: unusable, tracked: "touched" },
  };
  const workspaceFiles = closed[state] ?? { state: "on" as const, files };
  return {
    view: session,
    row: requireCheckpoint(session.outline, number),
    workspaceFiles,
    filesAt: async (checkpoint) => given.state ?? filesAt(session, files, checkpoint),
    ...(rewinder === undefined ? {} : { rewinder: new TestRewinder(files, {}) }),
  };
}

const pending: FilesAt = { state: "pending" };
const letGo: FilesAt = { state: "let-go", snapshot: "s" as SnapshotId };
const none: FilesAt = { state: "none", ...remark("capture-never-made") };

type Given = NonNullable<Parameters<typeof place>[1]>;
type Mode = Parameters<typeof place>[0];

describe("the scopes that a checkpoint allows", () => {
  it("are all that are possible", async () => {
    const examples: readonly (readonly [Mode, Given, readonly string[]])[] = [
      ["agent", {}, ["both", "conversation", "files"]],
      ["agent", { at: "head" }, ["files"]],
      ["agent", { files: "touched" }, ["both", "conversation", "files"]],
      ["workspace", {}, ["files"]],
      ["workspace", { at: "head" }, ["files"]],
      ["execution", {}, ["both"]],
      ["execution", { at: "head" }, ["files"]],
      ["execution", { state: pending }, ["conversation"]],
    ];
    for (const [mode, given, scopes] of examples)
      expect(await scopeOffer(await place(mode, given)), JSON.stringify([mode, given])).toEqual({ scopes });
  });

  it("leave out files if these cannot be restored, with the reason", async () => {
    const examples: readonly (readonly [Mode, Given, readonly string[], object])[] = [
      [
        "agent",
        { files: "off" },
        ["conversation"],
        { reason: "files-cannot-go-back", params: { problem }, cause: problem },
      ],
      ["agent", { files: "off", at: "head" }, [], { reason: "files-cannot-go-back" }],
      ["agent", { files: "unusable" }, ["conversation"], { params: { problem: unusable } }],
      ["workspace", { files: "off" }, [], { params: { problem } }],
      ["workspace", { files: "touched" }, [], { params: { problem: unusable } }],
      ["execution", { files: "off" }, ["conversation"], { params: { problem } }],
      ["execution", { files: "off", at: "head" }, [], { params: { problem } }],
      ["execution", { state: pending, at: "head" }, [], { reason: "execution-there-already" }],
      [
        "agent",
        { state: pending },
        ["conversation"],
        { reason: "files-of-checkpoint-not-captured", params: { checkpoint: 1 } },
      ],
      [
        "agent",
        { state: none },
        ["conversation"],
        {
          reason: "files-of-checkpoint-not-captured",
          params: { checkpoint: 1, why: expect.objectContaining({ reason: "capture-never-made" }) },
        },
      ],
      [
        "agent",
        { state: letGo },
        ["conversation"],
        { reason: "files-of-checkpoint-let-go", params: { checkpoint: 1 } },
      ],
      [
        "agent",
        { state: { ...letGo, machine: "laptop" } },
        ["conversation"],
        { reason: "files-of-checkpoint-let-go", params: { checkpoint: 1, machine: "laptop" } },
      ],
      ["agent", { rewinder: "unable" }, ["conversation"], { reason: "host-cannot-go-back" }],
    ];
    for (const [mode, given, scopes, why] of examples) {
      const target = await place(mode, given);
      const { without, ...offer } = await scopeOffer(target);
      const example = JSON.stringify([mode, given]);
      expect(offer, example).toEqual({ scopes });
      expect(without, example).toMatchObject(why);
      if ("params" in why) expect(without?.params, example).toEqual(why.params);
      if (without?.reason === "execution-there-already")
        expect(without.params).toEqual({ session: target.view.id });
    }
  });

  it("name the problem of Worldline's own files too if another agent restores the files", async () => {
    const able = await scopeOffer(await place("agent", { rewinder: "unable" }));
    expect(able.without?.params).toEqual({ problem: expect.objectContaining({ code: "REWIND_REFUSED" }) });
    const off = await scopeOffer(await place("agent", { rewinder: "unable", files: "off" }));
    expect(off.without?.params).toEqual({
      problem: expect.objectContaining({ code: "REWIND_REFUSED" }),
      files: problem,
    });
  });
});

describe("the scope of a rewind", () => {
  const command: ScopeRequest = { scope: undefined, suggest: "command" };
  const menu: ScopeRequest = { scope: undefined, suggest: "nothing" };

  it("is what the user wants, as far as there are files", async () => {
    const examples: readonly (readonly [string, Mode, Given, ScopeRequest, object])[] = [
      ["is both by default", "agent", {}, command, { scope: "both" }],
      ["is files if the conversation is there already", "agent", { at: "head" }, command, { scope: "files" }],
      ["is files in a workspace's own session", "workspace", {}, command, { scope: "files" }],
      ["is both for a program", "execution", {}, command, { scope: "both" }],
      [
        "is files for a program that is there already",
        "execution",
        { at: "head" },
        command,
        { scope: "files" },
      ],
      [
        "is the conversation for a program without files",
        "execution",
        { state: pending },
        command,
        { scope: "conversation" },
      ],
      ["is files if the user names paths", "agent", {}, { ...command, only: "some" }, { scope: "files" }],
      [
        "is what the user names",
        "agent",
        {},
        { ...command, scope: "files", only: "none" },
        { scope: "files" },
      ],
      [
        "may be the conversation without any files",
        "agent",
        { files: "off" },
        { ...command, scope: "conversation" },
        { scope: "conversation" },
      ],
      [
        "is left to the other agent that restores the files",
        "agent",
        { rewinder: "unable", files: "unusable" },
        command,
        { scope: "both" },
      ],
      [
        "includes the files that tools have written",
        "agent",
        { files: "touched" },
        command,
        { scope: "both" },
      ],
      [
        "is only the conversation if files are off",
        "agent",
        { files: "off" },
        command,
        { scope: "conversation", filesStay: problem },
      ],
      [
        "is only the conversation in a menu if files are off",
        "agent",
        { files: "off" },
        { ...menu, scope: "both" },
        { scope: "conversation", filesStay: problem },
      ],
      [
        "is only the conversation of a program if files are off",
        "execution",
        { files: "off" },
        command,
        { scope: "conversation", filesStay: problem },
      ],
    ];
    for (const [example, mode, given, request, settled] of examples)
      expect(await settleScope(await place(mode, given), request), example).toEqual(settled);
  });

  const refused = (error: object) => ({
    reason: "rewind-files-unusable",
    params: expect.objectContaining({ problem: error }),
  });
  it("is refused if that is impossible", async () => {
    const examples: readonly (readonly [string, Mode, Given, ScopeRequest, object])[] = [
      [
        "paths are named for the conversation",
        "agent",
        {},
        { ...command, scope: "conversation", only: "some" },
        { reason: "only-of-conversation" },
      ],
      ["files are off and named", "agent", { files: "off" }, { ...command, scope: "both" }, refused(problem)],
      [
        "files are off and paths are named",
        "agent",
        { files: "off" },
        { ...command, only: "some" },
        refused(problem),
      ],
      [
        "files are off and only they are named in a menu",
        "agent",
        { files: "off" },
        { ...menu, scope: "files" },
        { reason: "files-cannot-go-back" },
      ],
      [
        "files are off in a workspace's own session",
        "workspace",
        { files: "off" },
        command,
        refused(problem),
      ],
      ["the folder cannot be captured", "agent", { files: "unusable" }, command, refused(unusable)],
      [
        "only touched files are tracked in a workspace's own session",
        "workspace",
        { files: "touched" },
        command,
        refused(unusable),
      ],
      [
        "files are off, although another agent restores files, but not these",
        "agent",
        { files: "off", rewinder: "unable" },
        menu,
        { reason: "host-cannot-go-back" },
      ],
      [
        "the files were not captured",
        "agent",
        { state: pending },
        menu,
        { reason: "files-of-checkpoint-not-captured" },
      ],
    ];
    for (const [example, mode, given, request, error] of examples)
      await expect(settleScope(await place(mode, given), request), example).rejects.toMatchObject(error);
  });

  it("is refused with the command that rewinds the conversation if the checkpoint's own files are unusable", async () => {
    const target = await place("agent");
    const { workspaceFiles, view, row } = target;
    (workspaceFiles.files as MemoryWorkspace).snapshots.clear();
    const settling = settleScope(target, command);
    await expect(settling).rejects.toMatchObject({
      reason: "rewind-files-unusable",
      params: {
        session: view.id,
        checkpoint: row.number,
        mode: "agent",
        problem: { code: "REWIND_REFUSED" },
      },
      cause: { code: "REWIND_REFUSED" },
    });
    // The preview detects the same problem for the scope and the paths that the user names.
    expect(await settleScope(target, { ...command, scope: "both" })).toEqual({ scope: "both" });
    expect(await settleScope(target, { ...command, only: "some" })).toEqual({ scope: "files" });
  });
});

describe("the agent that restores the files", () => {
  it("is the Claude Agent SDK if it has worked in the session and the settings choose its checkpoints", async () => {
    const nameFor = async (engine: string, host: string | undefined) => {
      const target = await place("agent");
      const session = await begin(openSessionDeps());
      await session.prompt("go", host === undefined ? undefined : { kind: "host", host, hostSession: "s1" });
      const { context } = contextAt(workshop(), { common: { settings: { "snapshots.engine": engine } } });
      const { rewinder } = await rewindTarget(context, { ...target, view: session }, target.workspaceFiles);
      return rewinder?.host;
    };
    expect(await nameFor("sdk", "claude")).toBe("claude");
    expect(await nameFor("sdk", "another")).toBeUndefined();
    expect(await nameFor("sdk", undefined)).toBeUndefined();
    expect(await nameFor("worldline", "claude")).toBeUndefined();
  });
});

describe("settling a rewind", () => {
  it("returns the place with the scope", async () => {
    const target = await place("agent");
    expect(await settleRewind(target, { scope: "both", suggest: "command" })).toEqual({
      ...target,
      scope: "both",
    });
  });

  it.each<[Mode, Given, ScopeRequest["scope"], object | undefined]>([
    ["execution", { at: "head" }, "conversation", { reason: "execution-there-already" }],
    ["execution", { at: "head" }, "files", undefined],
    ["execution", {}, "conversation", undefined],
    ["agent", { at: "head" }, "conversation", { code: "REWIND_REFUSED" }],
    ["agent", {}, "conversation", undefined],
  ])(
    "in a session of mode %s with %j to %s fails if it would do nothing",
    async (mode, given, scope, error) => {
      const target = await place(mode, given);
      const settling = settleRewind(target, { scope, suggest: "command" });
      if (error === undefined) expect(await settling).toMatchObject({ scope });
      else await expect(settling).rejects.toMatchObject(error);
      if (mode === "agent" && error !== undefined)
        await expect(settling).rejects.not.toMatchObject({ reason: "execution-there-already" });
    },
  );
});
