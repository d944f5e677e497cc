import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentWorks, workshop } from "../../support/workshop.ts";

describe("files that were changed both by the agent and outside the session", () => {
  const lines = (first: string, last: string) => `${first}\n${"middle\n".repeat(10)}${last}\n`;

  async function both() {
    const shop = workshop();
    shop.put("a.txt", lines("one", "end"));
    await agentWorks(shop, () => undefined, "new");
    await shop.worldline("checkpoint start");
    await agentWorks(shop, () => shop.put("a.txt", lines("by the agent", "end")));
    // This captures the files, so later changes count as made outside the session and not by the tool.
    await shop.worldline("rewind start --scope conversation");
    shop.put("a.txt", lines("by the agent", "by the person"));
    return shop;
  }

  it("are merged when asked, line by line", async () => {
    const shop = await both();
    const said = await shop.worldline("rewind start --scope files --merge");
    expect(said.code).toBe(0);
    expect(said.stderr).toContain("  a.txt was edited outside this session: merge both\n");
    expect(shop.files()["a.txt"]).toBe(lines("one", "by the person"));
  });

  it("are asked about on a terminal, one by one or all at once", async () => {
    const shop = await both();
    const line = "rewind start --scope files";
    const asked = await shop.worldline(line, { typed: "what?\nm\n" });
    expect(asked.stderr).toContain(
      "a.txt was edited outside this session: [k]eep, [t]ake the checkpoint's version or [m]erge?",
    );
    expect(asked.stderr).toContain('"what?" is not an option: type k, t or m.\n');
    expect(asked.stderr).toContain("  a.txt was edited outside this session: merge both\n");
    expect(shop.files()["a.txt"]).toBe(lines("one", "by the person"));
    await shop.worldline("redo");
    expect(await shop.worldline(line, { typed: "T\n" })).toMatchObject({ code: 0 });
    expect(shop.files()["a.txt"]).toBe(lines("one", "end"));
  });

  it("are kept if the user says nothing, and the output says how to change that", async () => {
    const shop = await both();
    const line = "rewind start --scope files";
    const hint = "--take overwrites them; --merge merges both versions";
    expect((await shop.worldline(line, { typed: "\n" })).stderr).not.toContain(hint);
    expect(shop.files()["a.txt"]).toBe(lines("by the agent", "by the person"));
    expect((await shop.worldline(`${line} --dry-run`)).stdout).toContain(hint);
    expect((await shop.worldline(`${line} --keep --dry-run`)).stdout).not.toContain(hint);
  });

  it("are kept otherwise, with the reason in JSON", async () => {
    const shop = await both();
    const { files } = await shop.data("rewind start --scope files");
    expect(files).toMatchObject({
      steps: [],
      kept: [{ path: "a.txt", why: "outside", reason: "changed outside this session" }],
      conflicts: [{ path: "a.txt", choice: "keep" }],
      outcome: { restored: 0, kept: 1, failed: 0 },
    });
    expect(shop.files()["a.txt"]).toBe(lines("by the agent", "by the person"));
  });
});

describe("a workspace in which git has moved on", () => {
  it("shows what was checked out then, and says that git is left alone", async () => {
    const shop = workshop();
    const commit = "1a2b3c4d5e".repeat(4);
    mkdirSync(join(shop.workspace, ".git"));
    shop.put(".git/HEAD", "ref: refs/heads/main\n");
    shop.put(".git/refs/heads/main", `${commit}\n`);
    shop.put("a.txt", "one\n");
    await shop.worldline("checkpoint");
    shop.put(".git/HEAD", "ref: refs/heads/feature\n");
    shop.put(".git/refs/heads/feature", `${commit}\n`);
    shop.put("a.txt", "two\n");
    const { stderr } = await shop.worldline("rewind 1");
    expect(stderr).toContain(
      "git has moved from main 1a2b3c4d5e to feature 1a2b3c4d5e. Only files are restored; git itself does not change.\n",
    );
    expect(shop.files()).toMatchObject({ "a.txt": "one\n", ".git/HEAD": "ref: refs/heads/feature\n" });
  });
});

describe("files that changed while a command of the agent ran", () => {
  async function whileItRan() {
    const shop = workshop();
    shop.put("a.txt", "one\n");
    await agentWorks(shop, () => undefined, "new");
    await shop.worldline("checkpoint start");
    await agentWorks(shop, () => shop.put("a.txt", "one\nmine?\n"));
    return shop;
  }
  const line = "rewind start --scope files";

  it("are shown and asked about on a terminal", async () => {
    const shop = await whileItRan();
    const said = await shop.worldline(line, { typed: "m\nk\n" });
    expect(said.stderr).toMatch(
      /will also be reverted, but may contain your own edits:\n {2}a\.txt\n[\s\S]*\+mine\?[\s\S]*This file may contain your own edits: \[t\]ake the checkpoint's version or \[k\]eep yours\?/u,
    );
    expect(said.stderr).toContain('"m" is not an option: type k or t.\n');
    expect(shop.files()["a.txt"]).toBe("one\nmine?\n");
    expect(await shop.worldline(line, { typed: "\n" })).toMatchObject({ code: 0 });
    expect(shop.files()["a.txt"]).toBe("one\n");
  });

  it("stay with --keep, and go back with --yes", async () => {
    const shop = await whileItRan();
    const { files } = await shop.data(`${line} --keep --dry-run`);
    expect(files).toMatchObject({ steps: [], kept: [{ path: "a.txt", why: "chosen" }] });
    await shop.data(`${line} --keep`);
    expect(shop.files()["a.txt"]).toBe("one\nmine?\n");
    await shop.data(`${line} --yes`);
    expect(shop.files()["a.txt"]).toBe("one\n");
  });
});
