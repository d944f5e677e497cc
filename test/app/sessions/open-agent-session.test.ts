import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type AgentSession,
  contextOfRequest,
  isToGoOnWith,
  newSystemPrompt,
  openAgentSession,
  type ResumeRequest,
  wantedSession,
} from "../../../src/app/sessions/agent-session.ts";
import { ownSession } from "../../../src/app/sessions/own-session.ts";
import { openSessionDeps, openStore } from "../../../src/app/sessions/store.ts";
import { newHeader } from "../../../src/machine/open.ts";
import type { SessionView } from "../../../src/machine/view.ts";
import { openSession } from "../../../src/open-session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { ManualClock, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { writeForeign, writeSession } from "../support/write-session.ts";

type Given = Parameters<typeof recordingContext>[1];

function place(given: Given = {}) {
  const made = playground();
  const recorded = recordingContext(made, given);
  const open = async (
    resume: ResumeRequest,
    more: { readonly fork?: "yes"; readonly keepSession?: "no" } = {},
  ): Promise<AgentSession> => {
    const opened = await openAgentSession(recorded.context, {
      ...{ resume, fork: "no", keepSession: "yes", window: 32_000 },
      ...more,
    });
    onTestFinished(async () => {
      await opened.session.close();
      await opened.workspaceFiles.files?.close();
    });
    return opened;
  };
  return { ...made, ...recorded, open };
}

const settings = {
  "backtrack.enabled": "false",
  "backtrack.maxPerTurn": "3",
  "compaction.keep": "2",
  "log.blobBytes": "512",
  checkpointKeepCount: "7",
};

const off = { common: { settings: { enableFileCheckpointing: "false" } } };

describe("an agent's session", () => {
  it("is new, with the settings of its workspace", async () => {
    const { open, home, workspace, notices } = place({ common: { settings } });
    const { session, deps, workspaceFiles, ...opened } = await open({ how: "new" });
    expect(opened).toEqual({
      resumed: "new",
      kept: "yes",
      outputs: join(home, "sessions", session.id, "outputs"),
    });
    expect(deps.settings).toEqual({
      blobBytes: 512,
      keepCheckpoints: 7,
      window: 32_000,
      maxBacktracksPerTurn: 3,
      keepExchanges: 2,
    });
    expect([workspaceFiles.state, deps.files === workspaceFiles.files, deps.touchedFiles]).toEqual([
      "on",
      true,
      undefined,
    ]);
    expect(session.header).toMatchObject({ workspace, mode: "agent", backtrack: "off" });
    const holder = await deps.store.holder(session.id);
    expect(holder?.owner?.name).toBe("worldline, an agent");
    expect(notices).toEqual([]);
  });

  it("is resumed, or forked so that it stays unchanged", async () => {
    const shop = place();
    const id = await writeSession(shop);
    const before = shop.everything();
    const forked = await shop.open({ how: "resume", wanted: id.slice(0, 9) }, { fork: "yes" });
    expect(forked.resumed).toBe("forked");
    expect(forked.session.header.forkedFrom?.session).toBe(id);
    expect(shop.everything()).toEqual(expect.arrayContaining(before));
    const resumed = await shop.open({ how: "resume", wanted: id });
    expect([resumed.resumed, resumed.session.id, resumed.kept]).toEqual(["resumed", id, "yes"]);
    expect(shop.notices).toEqual([]);
  });

  it("is not resumed while another program holds it, which the error names", async () => {
    const shop = place();
    const id = await writeSession(shop);
    const held = await openSession({
      home: shop.home,
      workspace: shop.workspace,
      resume: id,
      name: "a watch",
    });
    onTestFinished(async () => held.close());
    const refused = { reason: "session-held", params: { session: id, name: "a watch" } };
    await expect(shop.open({ how: "resume", wanted: id })).rejects.toMatchObject(refused);
    const without = { ...shop.context, settings: place(off).context.settings };
    await expect(
      openAgentSession(without, {
        ...{ resume: { how: "resume", wanted: id }, fork: "no", keepSession: "yes", window: 1 },
      }),
    ).rejects.toMatchObject(refused);
  });

  it("reports torn bytes when it is resumed", async () => {
    const shop = place();
    const id = await writeSession(shop);
    writeFileSync(join(shop.home, "sessions", id, "log.jsonl"), "torn", { flag: "a" });
    await shop.open({ how: "resume", wanted: id });
    expect(shop.notices).toEqual([{ code: "bytes-set-aside", bytes: 4, file: "log.jsonl.torn-1" }]);
  });

  it("is in memory if it is not to be kept", async () => {
    const { open, home } = place({ common: { settings } });
    const { session, deps, workspaceFiles, ...opened } = await open({ how: "new" }, { keepSession: "no" });
    expect(opened).toEqual({
      resumed: "new",
      kept: "no",
      outputs: join(realpathSync(tmpdir()), `worldline-outputs-${session.id}`),
    });
    expect(workspaceFiles).toEqual({ state: "off", error: new WorldlineError("session-without-files", {}) });
    expect(deps.store.place.kind).toBe("memory");
    expect(deps.settings).toEqual({
      blobBytes: 512,
      window: 32_000,
      maxBacktracksPerTurn: 3,
      keepExchanges: 2,
    });
    expect(session.header).toMatchObject({ backtrack: "off", mode: "agent" });
    expect(existsSync(home)).toBe(false);
  });

  it("may go back on its own, unless the settings forbid it", async () => {
    const { session } = await place().open({ how: "new" }, { keepSession: "no" });
    expect(session.header.backtrack).toBe("on");
  });

  it("cannot be in memory without a temporary folder", async () => {
    const { open, root } = place();
    const folder = join(root, "nowhere");
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(open({ how: "new" }, { keepSession: "no" })).rejects.toEqual(
      new WorldlineError(
        "no-temporary-folder",
        { folder },
        { cause: expect.objectContaining({ code: "ENOENT" }) },
      ),
    );
  });

  it("tracks only what tools change in a folder that is never captured", async () => {
    const { root, home, workspace } = playground();
    const { context } = recordingContext({ home, workspace });
    mkdirSync(join(root, "home"));
    const wide = { ...context, workspace: async () => "/" };
    const opened = await openAgentSession(wide, {
      ...{ resume: { how: "new" }, fork: "no", keepSession: "yes", window: 1 },
    });
    onTestFinished(async () => opened.session.close());
    expect([opened.workspaceFiles.state, opened.deps.touchedFiles, opened.deps.files]).toEqual([
      "unusable",
      "follow",
      undefined,
    ]);
  });
});

describe("the system prompt of a new session", () => {
  it("contains the date, and the workspace's instructions", async () => {
    const { context, workspace, notices } = place();
    const bare = await newSystemPrompt(context, "on");
    expect(bare).toContain(new Date().toISOString().slice(0, 10));
    expect(bare).not.toMatch(/\d{4}-\d\d-\d\dT/u);
    expect(bare).toContain(workspace);
    writeFileSync(join(workspace, "AGENTS.md"), "Use tabs.");
    expect(await newSystemPrompt(context, "on")).toContain("Use tabs.");
    expect(await newSystemPrompt(context, "off")).not.toBe(await newSystemPrompt(context, "on"));
    expect(notices).toEqual([]);
    rmSync(join(workspace, "AGENTS.md"));
    symlinkSync("nowhere", join(workspace, "AGENTS.md"));
    await newSystemPrompt(context, "on");
    expect(notices).toEqual([{ code: "instructions-unused", file: "AGENTS.md", why: "link" }]);
  });
});

describe("a session to go on with", () => {
  it("is an agent's, has entries of its own, and is confirmed", () => {
    const view = (mode: string, length: number, state?: string) => {
      const confirmation = state === undefined ? {} : { confirmation: { state } };
      return { header: { mode, ...confirmation }, outline: { length } } as unknown as SessionView;
    };
    expect(
      [
        view("agent", 2),
        view("agent", 2, "given"),
        view("agent", 2, "needed"),
        view("agent", 1),
        view("workspace", 2),
      ].map(isToGoOnWith),
    ).toEqual([true, true, false, false, false]);
  });
});

describe("the session that a request names", () => {
  it("is none if the request is for a new one", async () => {
    expect(await wantedSession(place().context, { how: "new" })).toBeUndefined();
  });

  it("is the agent's session that was last used in the workspace", async () => {
    const shop = place();
    const { context, workspace, home, root } = shop;
    await expect(wantedSession(context, { how: "continue" })).rejects.toEqual(
      new WorldlineError("no-session-to-go-on", { workspace }),
    );
    const id = await writeSession(shop);
    await writeSession({ home, workspace: root });
    await ownSession(context, await openSessionDeps(context), "test");
    const store = openStore(context);
    const empty = await openSession({ home, workspace });
    await empty.close();
    await writeForeign({ home, workspace }, sessionNumber(1));
    expect(await wantedSession(context, { how: "continue" })).toBe(id);
    expect(await wantedSession(context, { how: "resume" })).toBe(id);
    expect(await store.list()).toHaveLength(5);
  });

  it("is found by its id or its title, and is no program's", async () => {
    const store = openMemoryStore();
    const { context } = place({ store });
    await store.create(new Story(sessionNumber(1)).begin());
    const header = newHeader(new ManualClock(), { workspace: "/w", mode: "execution" });
    await store.create({ ...header, execution: { id: "nightly", scope: "w" } });
    const wanted = async (name: string) => wantedSession(context, { how: "resume", wanted: name });
    expect(await wanted(sessionNumber(1).slice(0, 10))).toBe(sessionNumber(1));
    await expect(wanted("nightly")).rejects.toEqual(
      new WorldlineError("execution-not-conversation", { id: "nightly", session: header.session }),
    );
  });
});

describe("the context of a request", () => {
  it("is that of the session's workspace, and else the current one", async () => {
    const shop = place();
    const { context, home, root, notices } = shop;
    const other = join(root, "other");
    mkdirSync(other);
    const [here, elsewhere] = [await writeSession(shop), await writeSession({ home, workspace: other })];
    const contextOf = async (resume: ResumeRequest) => contextOfRequest(context, { resume });
    expect(await contextOf({ how: "new" })).toBe(context);
    expect(await contextOf({ how: "continue" })).toBe(context);
    expect(await contextOf({ how: "resume" })).toBe(context);
    expect(await contextOf({ how: "resume", wanted: here })).toBe(context);
    expect(notices).toEqual([]);
    const found = await contextOf({ how: "resume", wanted: elsewhere.slice(0, 9) });
    expect(await found.workspace()).toBe(other);
    const notice = { code: "session-elsewhere", session: elsewhere, workspace: other };
    expect(notices).toEqual([notice]);
    rmSync(other, { recursive: true });
    await contextOf({ how: "resume", wanted: elsewhere });
    expect(notices).toEqual([notice, notice]);
  });

  it("is refused for an unconfirmed session, for a program's, and for a folder on another machine", async () => {
    const { context, home, workspace } = place();
    const refusal = async (wanted: string, from = context) =>
      contextOfRequest(from, { resume: { how: "resume", wanted } }).catch((error: unknown) => error);
    const foreign = await writeForeign({ home, workspace }, sessionNumber(1));
    expect(await refusal(foreign)).toEqual(
      new WorldlineError("session-unconfirmed", { session: foreign }, { session: foreign }),
    );
    const store = openMemoryStore();
    const shared = Object.assign(store, { place: { ...store.place, reach: "shared" } as const });
    const { context: far } = place({ store: shared });
    await store.create(new Story(sessionNumber(2)).begin("/nowhere/at/all"));
    await store.create(new Story(sessionNumber(3)).begin(workspace));
    const there = contextOfRequest(far, { resume: { how: "resume", wanted: sessionNumber(3) } });
    expect(await (await there).workspace()).toBe(workspace);
    expect(await refusal(sessionNumber(2), far)).toEqual(
      new WorldlineError("workspace-elsewhere", {
        session: sessionNumber(2),
        workspace: "/nowhere/at/all",
      }),
    );
    const execution = newHeader(new ManualClock(), { workspace: "/w", mode: "execution" });
    await store.create(execution);
    expect(await refusal(execution.session, far)).toMatchObject({ reason: "execution-not-conversation" });
  });
});
