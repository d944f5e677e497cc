import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { openSession } from "../../../src/open-session.ts";
import { encodeEntry } from "../../../src/record/codec.ts";
import type { EntryOf } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { fileKey } from "../../../src/stores/authority/home-authority.ts";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

/** Each line is refused with this exit code, error code and reason, and with a hint. */
const refused: readonly (readonly [line: string, exit: number, code: string, reason: string])[] = [
  ["rewind -1 --scope conversation", 42, "INPUT_INVALID", "not-a-checkpoint"],
  ["rewind 0 --scope conversation", 42, "INPUT_INVALID", "not-a-checkpoint"],
  ["rewind #0 --scope conversation", 42, "INPUT_INVALID", "not-a-checkpoint"],
  ["rewind abc --scope conversation", 42, "CHECKPOINT_UNKNOWN", "label-unknown-here"],
  ["rewind 99 --scope conversation", 42, "CHECKPOINT_UNKNOWN", "checkpoint-unknown"],
  ["rewind 99999999999999999999 --scope conversation", 42, "INPUT_INVALID", "not-a-checkpoint"],
  ["rewind 1.5 --scope conversation", 42, "CHECKPOINT_UNKNOWN", "label-unknown-here"],
  ["rewind nobody:1 --scope conversation", 42, "SESSION_UNKNOWN", "session-not-found"],
  ["rewind 1 --scope everything", 42, "INPUT_INVALID", "choice-invalid"],
  ["rewind 1 2 --scope conversation", 2, "USAGE", "command-misread"],
  ["rewind --scope conversation", 2, "USAGE", "which-checkpoint"],
  ["rewind 1 --scope conversation --session nobody", 42, "SESSION_UNKNOWN", "session-not-found"],
  ["rewind 1 --scope conversation --setting lock.waitMs=soon", 42, "INPUT_INVALID", "setting-value-invalid"],
  ["redo nothing", 42, "JOURNEY_UNKNOWN", "journey-named-unknown"],
  ["redo --list nothing", 2, "USAGE", "list-takes-no-journey"],
  ["fork nobody", 42, "SESSION_UNKNOWN", "session-not-found"],
  ["fork --at 99", 42, "CHECKPOINT_UNKNOWN", "checkpoint-unknown"],
  ["fork --files restore", 2, "USAGE", "which-checkpoints-files"],
  ["label 1 7", 42, "LABEL_INVALID", "label-invalid"],
  ["label 99 name", 42, "CHECKPOINT_UNKNOWN", "checkpoint-unknown"],
  ["label 1", 2, "USAGE", "command-misread"],
  ["checkpoint 7", 42, "LABEL_INVALID", "label-invalid"],
  ["checkpoint --session nobody", 42, "SESSION_UNKNOWN", "session-not-found"],
  ["checkpoints --session nobody", 42, "SESSION_UNKNOWN", "session-not-found"],
  ["log --kind nonsense", 42, "INPUT_INVALID", "choice-invalid"],
  ["log --limit -1", 42, "INPUT_INVALID", "not-a-whole-number"],
  ["log --limit many", 42, "INPUT_INVALID", "not-a-whole-number"],
  ["log --workspace /nowhere/at/all", 42, "WORKSPACE_UNUSABLE", "workspace-not-found"],
  ["tree surplus", 2, "USAGE", "command-misread"],
  ["context --at 0", 42, "INPUT_INVALID", "not-a-checkpoint"],
  ["context --at 99", 42, "CHECKPOINT_UNKNOWN", "checkpoint-unknown"],
];

describe("bad input", () => {
  it.each(refused)("%s: exit code %i, %s (%s), and nothing is changed", async (line, exit, code, reason) => {
    const { home, workspace, worldline, everything } = playground();
    await tellConversation({ home, workspace });
    const before = everything();
    const said = await worldline(`${line} --json`);
    expect({ exit: said.code, ...JSON.parse(said.stdout).error }).toEqual({
      exit,
      code,
      reason,
      params: expect.any(Object),
      message: expect.stringMatching(/[^.]\.$/u),
      hint: expect.any(String),
    });
    expect(everything()).toEqual(before);
  });

  it("is refused without --json too, on standard error alone", async () => {
    const { home, workspace, worldline } = playground();
    const session = await tellConversation({ home, workspace });
    expect(await worldline("rewind 99 --scope conversation")).toEqual({
      code: 42,
      stdout: "",
      stderr:
        `Session ${session} "find the leak", the most recent one here.\n` +
        "error: There is no checkpoint 99 in this session.\nhint: Known checkpoints: 1-5\n",
    });
  });

  it("is refused when there is no session yet", async () => {
    const { worldline, everything, workspace } = playground();
    const before = everything();
    for (const line of ["rewind 1", "label 1 x", "redo", "fork", "log", "tree", "context"]) {
      expect(await worldline(line)).toEqual({
        code: 42,
        stdout: "",
        stderr:
          `error: No checkpoints found: there is no session in ${workspace} yet.\n` +
          'hint: Create a checkpoint: worldline checkpoint "before refactoring"\n',
      });
    }
    expect(everything()).toEqual(before);
  });

  it("is refused when several sessions may be meant", async () => {
    const { home, workspace, worldline, everything } = playground();
    for (const title of ["The leak", "The leak again"]) {
      const session = await openSession({ home, workspace });
      await session.retitle(title);
      await session.close();
    }
    const before = everything();
    expect(await worldline(["log", "--session", "the lea"])).toMatchObject({
      code: 42,
      stderr: expect.stringMatching(/^error: "the lea" matches 2 sessions\.\nhint: Use a longer id: /u),
    });
    expect(await worldline(["log", "--session", "the leak"])).toMatchObject({ code: 0 });
    expect(everything()).toEqual(before);
  });
});

describe("a session that cannot be written", () => {
  it("is waited for while another program holds it, and the holder is named", async () => {
    const { home, workspace, worldline, everything } = playground();
    const held = await openSession({ home, workspace, name: "another agent" });
    await held.prompt("hello");
    // The session's list of checkpoints is published a moment later; wait for it, so that it does not count
    // as a change.
    const published = join(home, "sessions", held.id, "checkpoints", "metadata.json");
    await vi.waitFor(() => readFileSync(published), { timeout: 10_000 });
    const before = everything();
    const line = "rewind 1 --scope conversation --setting lock.waitMs=";
    expect(await worldline(`${line}0`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is in use by another agent (pid"),
    });
    expect(everything()).toEqual(before);
    setTimeout(() => void held.close(), 100);
    const waited = await worldline(`${line}20000`);
    expect(waited).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Waiting up to 20 seconds for another agent \(pid \d+ on .*\)/u),
    });
  });

  it("is not touched when it was written by a newer version, and can be looked at", async () => {
    const { home, workspace, worldline, everything } = playground();
    const id = await tellConversation({ home, workspace });
    const folder = join(home, "sessions", id);
    const [first = "", ...rest] = readFileSync(join(folder, "log.jsonl"), "utf8").split("\n");
    const { sum: _sum, ...header } = JSON.parse(first);
    const signed = fileKey(realDisk, home).sign(
      id as SessionId,
      { ...header, version: 99 } as EntryOf<"session">,
    );
    const newer = Buffer.from(encodeEntry(signed, crc32)).toString();
    writeFileSync(join(folder, "log.jsonl"), newer + rest.join("\n"));
    writeFileSync(join(folder, "session.json"), newer);
    rmSync(join(folder, "index"), { force: true });
    const before = everything();
    for (const line of ["checkpoint x", "rewind 1 --scope conversation", "label 1 x"]) {
      expect(await worldline(line)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("newer version of Worldline"),
      });
    }
    expect(await worldline("tree")).toMatchObject({ code: 0 });
    expect(everything()).toEqual(before);
  });

  it("is not begun in a home that is a file", async () => {
    const { home, worldline, everything } = playground();
    writeFileSync(home, "not a folder");
    const before = everything();
    expect(await worldline("checkpoint")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("WORLDLINE_HOME"),
    });
    for (const line of ["log", "tree", "sessions", "checkpoints"]) {
      const said = await worldline(`${line} --json`);
      expect(JSON.parse(said.stdout).error, line).toMatchObject({
        code: "STORE_UNREADABLE",
        hint: expect.stringContaining("WORLDLINE_HOME"),
      });
    }
    expect(everything()).toEqual(before);
  });

  it("is passed over, and named, when there is nothing in it", async () => {
    const { home, workspace, worldline } = playground();
    const id = await tellConversation({ home, workspace });
    mkdirSync(join(home, "sessions", "aaaaaaaaaa"));
    expect(await worldline("log --limit 1")).toMatchObject({ code: 0, stderr: expect.stringContaining(id) });
  });
});
