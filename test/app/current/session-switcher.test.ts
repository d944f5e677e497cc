import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { App } from "../../../src/app/app.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { playground } from "../../cli/support/command-line.ts";
import { tellConversation } from "../../cli/support/conversation.ts";
import { openAppAt, said } from "../support/open-app-at.ts";

const messages = ({ warnings }: Pick<App, "warnings">) => warnings.map((notice) => said(notice).message);

describe("the notice about a session that was opened", () => {
  it("is which folder a session works in, if the user came from another", async () => {
    const place = playground();
    const first = await openAppAt(place);
    await first.app.agent.run("echo one > a.txt", "user-only");
    const { session } = first.app.agent;
    await first.close();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const resumed = await openAppAt(other, { request: { resume: { how: "resume", wanted: session } } });
    expect(resumed.warnings.map(({ message }) => message)).toEqual([
      `Session ${session} works in another folder: ${place.workspace}`,
    ]);
    await resumed.close();
    const { app } = await openAppAt(other);
    await app.sessions.open(session);
    expect(messages(app)).toEqual([`Session ${session} works in another folder: ${place.workspace}`]);
  });

  it("is that nothing can be captured, also where the folder was opened from the screen", async () => {
    const { app, told } = await openAppAt(playground());
    await app.sessions.openFolder("/");
    expect(messages(app)).toEqual([
      "No file checkpoints: The files in /, which contains your home folder or a whole disk, are not captured.",
    ]);
    await app.sessions.openFolder("/proc");
    expect(messages(app)).toEqual([
      "No file checkpoints: The files in /proc are not captured, because the system generates them.",
    ]);
    await app.sessions.openFolder("~");
    expect(messages(app)).toEqual(["No file checkpoints: The files in your home folder are not captured."]);
    // Notices wait for the new session: anything emitted earlier would go to the conversation that is being
    // replaced.
    expect(told.filter(({ type }) => type === "notice")).toEqual([]);
  });
});

describe("damage to the log of the open session", () => {
  it("is reported after the work that found it, once, and again only if there is more", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = (await tellConversation({ home, workspace })) as SessionId;
    const { app, told } = await openAppAt(place, { request: { resume: { how: "resume", wanted: session } } });
    const log = join(home, "sessions", session, "log.jsonl");
    const damage = (text: string) =>
      writeFileSync(log, readFileSync(log, "utf8").replace(text, text.toUpperCase()));
    const notices = () =>
      told.flatMap((event) => (event.type === "notice" ? [said(event.notice).message] : []));
    damage("Fixed in pool.ts.");
    await app.queries.page({ count: 6 });
    await app.agent.run("true", "user-only");
    await app.agent.run("true", "user-only");
    expect(notices()).toEqual([
      `The log of session ${session} has been damaged; the rest is shown. ` +
        "log.jsonl line 13 cannot be read: The checksum does not match the line.",
    ]);
    damage("find the leak");
    await app.queries.page({ count: 100 });
    await app.close();
    expect(notices().slice(1)).toEqual([expect.stringContaining("log.jsonl line 3 cannot be read")]);
  });
});

describe("a workspace that a command has removed", () => {
  it("is reported as gone, and created again by a rewind", async () => {
    const place = playground();
    const file = join(place.workspace, "a.txt");
    writeFileSync(file, "one\n");
    const { app } = await openAppAt(place);
    await app.agent.run('rm -rf "$PWD"', "user-only");
    expect(existsSync(place.workspace)).toBe(false);
    expect((await app.queries.state()).snapshots).toEqual({
      state: "folder-gone",
      folder: place.workspace,
    });
    const request = { session: app.agent.session, number: 1, scope: "both" } as const;
    expect((await app.journeys.preview(request)).files?.steps).toMatchObject([
      { path: "a.txt", what: "created" },
    ]);
    await app.journeys.rewind(request);
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect((await app.queries.state()).snapshots).toEqual({ state: "on" });
  });
});

/** A folder whose own settings cannot be read, so that no session can be opened there. */
function brokenFolder(place: ReturnType<typeof playground>): string {
  const folder = join(place.root, "broken");
  mkdirSync(join(folder, ".worldline"), { recursive: true });
  writeFileSync(join(folder, ".worldline", "settings.json"), "{ broken");
  return realpathSync(folder);
}

describe("a session that cannot be opened", () => {
  it("leaves the current one open, with its model, mode and confirmation", async () => {
    const place = playground();
    const { app, told } = await openAppAt(place, { request: { model: "worldline/finder", mode: "auto" } });
    await app.agent.run("true", "user-only");
    const { session } = app.agent;
    await expect(app.sessions.openFolder(brokenFolder(place))).rejects.toMatchObject({
      code: "SETTINGS_INVALID",
    });
    expect(told).toEqual([
      { type: "replaced", how: "reopened", from: session },
      { type: "model", model: { state: "ready", name: "worldline/finder", window: 200_000 } },
    ]);
    expect([app.agent.session, app.agent.mode, app.auto.isConfirmed]).toEqual([session, "auto", true]);
    expect((await app.agent.run("true", "user-only")).outcome).toBe("ok");
  });

  it("is followed by a new one where nothing was done in the current one", async () => {
    const place = playground();
    const { app } = await openAppAt(place);
    const { session } = app.agent;
    await expect(app.sessions.openFolder(brokenFolder(place))).rejects.toMatchObject({
      code: "SETTINGS_INVALID",
    });
    expect(app.agent.session).not.toBe(session);
    expect([app.agent.mode, app.auto.isConfirmed]).toEqual(["manual", false]);
  });

  it("is reported if the current one cannot be opened again either", async () => {
    const place = playground();
    const { app, told } = await openAppAt(place);
    await app.agent.run("true", "user-only");
    const { session } = app.agent;
    place.write("user", "{ broken");
    await expect(app.sessions.begin()).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    expect(app.warnings).toEqual([
      {
        code: "session-not-reopened",
        session,
        problem: expect.objectContaining({ reason: "settings-syntax" }),
      },
    ]);
    expect(told).toEqual([]);
  });
});

describe("settings that count once a session is opened", () => {
  const trusting = async (app: App) => {
    const shown = await app.upkeep.untrusted();
    if (shown === undefined) throw new Error("there is nothing to trust");
    return app.upkeep.trust(shown);
  };
  const untrustedPlace = () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 }, "ui": { "theme": "dark" } }');
    return place;
  };

  it("reopen the same session, or a new one if it was empty", async () => {
    const { app, told } = await openAppAt(untrustedPlace());
    const empty = app.agent.session;
    expect(await trusting(app)).toBe("done");
    expect(told[0]).toEqual({ type: "replaced", how: "reopened", from: empty });
    expect(app.agent.session).not.toBe(empty);
    const used = await openAppAt(untrustedPlace());
    await used.app.agent.run("true", "user-only");
    const { session } = used.app.agent;
    expect(await trusting(used.app)).toBe("done");
    expect([used.app.agent.session, used.told[0]]).toEqual([
      session,
      { type: "replaced", how: "reopened", from: session },
    ]);
  });

  it("wait for the next session while something runs, or if the session is not saved", async () => {
    const trustedLater = [{ type: "notice", notice: { code: "trusted-later" } }];
    const place = untrustedPlace();
    const running = await openAppAt(place);
    const command = running.app.agent.run("until [ -e done ]; do sleep 0.05; done", "user-only");
    expect(await trusting(running.app)).toBe("done");
    expect(running.told).toEqual(trustedLater);
    expect(running.app.settings["ui.theme"]).toBe("dark");
    writeFileSync(join(place.workspace, "done"), "");
    await command;
    const { app, told } = await openAppAt(untrustedPlace(), { request: { keepSession: "no" } });
    await app.agent.run("true", "user-only");
    const { session } = app.agent;
    expect(await trusting(app)).toBe("done");
    expect([told, app.agent.session]).toEqual([trustedLater, session]);
  });
});

describe.runIf(process.platform === "linux")("commands that a killed run left running", () => {
  it("are reported when their session is opened again", async () => {
    const place = playground();
    const { home, workspace } = place;
    const session = await tellConversation({ home, workspace });
    const child = spawn("sleep", ["60"], { env: { WORLDLINE_MARK: `worldline-${session}-1.` } });
    onTestFinished(() => void child.kill("SIGKILL"));
    const { app } = await openAppAt(place, { request: { resume: { how: "resume", wanted: session } } });
    expect(app.warnings).toEqual([{ code: "commands-left-running", commands: ["sleep 60"] }]);
  });
});
