import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/disk/system-clock.ts";
import { find } from "../../src/finder/find.ts";
import { viewSession } from "../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../src/open-files.ts";
import { openSession } from "../../src/open-session.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";

describe("a line that was broken, taken back by a rewind, and broken again otherwise", () => {
  it("is found, although no checkpoint was made when it was whole again", async () => {
    const { path: root, remove } = tempFolder();
    onTestFinished(remove);
    const [home, workspace] = [join(root, "home"), join(root, "workspace")];
    mkdirSync(workspace);
    const put = (content: string): void => writeFileSync(join(workspace, "a"), content);
    const session = await openSession({ home, workspace, files: "on" });
    put("first\nwhole\nlast\n");
    await session.checkpoint();
    put("first\nbroken\nlast\n");
    await session.checkpoint();
    await session.rewind({ to: 1, scope: "files", choice: "take" });
    put("first\nwrong\nlast\n");
    await session.checkpoint();
    await session.close();
    const store = openFilesStore({ root: home, clock: systemClock });
    const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
    onTestFinished(async () => files.close());
    const finding = await find({
      files,
      views: [await viewSession(store, session.id)],
      present: await files.capture({ look: "everything" }),
      now: Date.now(),
      command: {
        program: "grep",
        arguments: ["-q", "whole", "a"],
        environment: { PATH: process.env["PATH"], HOME: root },
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      },
      within: "",
      runs: 1,
    });
    expect(finding).toMatchObject({ verdict: "found", border: { green: 2, red: 3 } });
  });
});
