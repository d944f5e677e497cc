import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
