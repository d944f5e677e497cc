import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../cli/support/command-line.ts";
import { openAppAt, talkingApp } from "../support/open-app-at.ts";

describe("opening another folder", () => {
  it("opens the session that was last used there, or a new one", async () => {
    const place = playground();
    const folder = join(place.root, "other");
    mkdirSync(folder);
    const other = { ...place, workspace: realpathSync(folder) };
    const { app: there, close, environment } = await talkingApp(other, { text: "Hello." });
    await there.agent.prompt("find the leak");
    const { session } = there.agent;
    const { app, told } = await openAppAt(place, { environment });
    await app.sessions.openFolder("../other");
    // Another program holds that session, so a new one begins.
    expect(told[0]).toMatchObject({ type: "replaced", how: "begun" });
    expect(app.agent.workspace).toBe(other.workspace);
    await close();
    await app.sessions.openFolder(place.workspace);
    await app.sessions.openFolder(folder);
    expect(app.agent.session).toBe(session);
    await expect(app.sessions.openFolder("/nonexistent")).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
    });
    expect(app.agent.session).toBe(session);
  });
});
