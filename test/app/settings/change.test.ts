import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeSetting } from "../../../src/app/settings/change.ts";
import { trustWorkspace } from "../../../src/app/settings/trust.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a changed setting", () => {
  it("takes effect, and is written once, for the user only", async () => {
    const place = playground();
    const change = { where: "user", key: "trash.days", value: 5 } as const;
    const source = { layer: "user", file: place.files.user, line: 3, column: 5 };
    expect(await changeSetting(frameOf(place), change)).toEqual({
      file: place.files.user,
      outcome: "written",
      effect: { state: "counts", value: 5, source },
    });
    expect((await changeSetting(frameOf(place), change)).outcome).toBe("unchanged");
    expect([modeOf(place.home), modeOf(place.files.user)]).toEqual([0o700, 0o600]);
    expect(place.read("user")).toBe('{\n  "trash": {\n    "days": 5\n  }\n}\n');
  });

  it("takes effect in a new file of a workspace, which everyone may read", async () => {
    const place = playground();
    const change = { where: "local", key: "enableFileCheckpointing", value: false } as const;
    expect(await changeSetting(frameOf(place), change)).toEqual({
      file: place.files.local,
      outcome: "written",
      effect: {
        state: "counts",
        value: false,
        source: { layer: "local", file: place.files.local, line: 2, column: 3 },
      },
    });
    expect([modeOf(join(place.workspace, ".worldline")), modeOf(place.files.local)]).toEqual([0o755, 0o644]);
    expect(place.read("local")).toBe('{\n  "enableFileCheckpointing": false\n}\n');
    expect((await changeSetting(frameOf(place), change)).outcome).toBe("unchanged");
  });

  it("is ignored in an untrusted workspace, which stays untrusted", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 9 } }');
    const change = { where: "workspace", key: "enableFileCheckpointing", value: false } as const;
    const frame = frameOf(place);
    const trusting = {
      ...frame,
      settingsRequest: async () => ({ ...(await frame.settingsRequest()), trust: "from-now-on" as const }),
    };
    expect(await changeSetting(trusting, change)).toMatchObject({
      effect: { state: "ignored", value: true },
    });
    expect(await changeSetting(frameOf(place), change)).toMatchObject({ effect: { state: "ignored" } });
  });

  it("is written with an unknown effect if another file is invalid, and only then", async () => {
    const place = playground();
    place.write("workspace", "{ broken");
    place.write("user", '\ufeff{"trash": {"days": 4}}');
    const frame = frameOf(place);
    const change = { where: "user", key: "trash.days", value: 5 } as const;
    expect(await changeSetting(frame, change)).toEqual({
      file: place.files.user,
      outcome: "written",
      effect: {
        state: "unknown",
        problem: expect.objectContaining({ code: "SETTINGS_INVALID", reason: "settings-syntax" }),
      },
    });
    expect(place.read("user")).toBe('\ufeff{"trash": {"days": 5}}');
    const failing = {
      ...frame,
      settingsRequest: async () => Promise.reject(new Error("The request failed.")),
    };
    await expect(changeSetting(failing, change)).rejects.toThrow("The request failed.");
  });

  it("is overridden if another layer's value is stronger, and ignored only if its own layer's value is", async () => {
    const place = playground();
    place.write("local", '{ "lock": { "waitMs": 1 }, "model": "a/b", "trash": { "days": 1 } }');
    const frame = () => frameOf(place, { environment: { WORLDLINE_TRASH_DAYS: "7" } });
    const effectOf = async (key: "lock.waitMs" | "model" | "trash.days", value: number | string) =>
      (await changeSetting(frame(), { where: "user", key, value })).effect;
    const source = { layer: "local", file: place.files.local, line: 1, column: 13 };
    expect(await effectOf("lock.waitMs", 5)).toEqual({ state: "overridden", value: 1, source });
    expect(await effectOf("trash.days", 5)).toEqual({
      state: "overridden",
      value: 7,
      source: { layer: "environment", variable: "WORLDLINE_TRASH_DAYS" },
    });
    expect(await effectOf("model", "c/d")).toMatchObject({ state: "counts", value: "c/d" });
  });

  it("counts for a combined setting, even if another layer is stronger, unless it is ignored", async () => {
    const place = playground();
    place.write("workspace", "{}");
    const change = { where: "workspace", key: "permissions.allow", value: ["Read"] } as const;
    expect((await changeSetting(frameOf(place), change)).effect).toMatchObject({
      state: "ignored",
      value: [],
    });
    const asking = { ...change, key: "permissions.ask" } as const;
    const frame = frameOf(place, { environment: { WORLDLINE_PERMISSIONS_ASK: "Write" } });
    expect((await changeSetting(frame, asking)).effect).toMatchObject({
      state: "counts",
      value: ["Read", "Write"],
    });
  });
});

describe("the file of a changed setting", () => {
  it("keeps its mode and its byte order mark, and only a real one", async () => {
    const place = playground();
    for (const mark of ["\ufeff", ""]) {
      place.write("user", `${mark}{}`);
      chmodSync(place.files.user, 0o640);
      await changeSetting(frameOf(place), { where: "user", key: "trash.days", value: 5 });
      expect(readFileSync(place.files.user, "utf8")).toBe(`${mark}{\n  "trash": {\n    "days": 5\n  }\n}`);
      expect(modeOf(place.files.user)).toBe(0o640);
    }
  });

  it("stays trusted if it was trusted, together with Claude's configuration", async () => {
    const place = playground();
    const trust = async () => {
      const { trust: state, claude } = await frameOf(place).settings();
      return { state, claude };
    };
    place.write("workspace", "{}");
    mkdirSync(join(place.workspace, ".claude", "skills"), { recursive: true });
    const change = { where: "workspace", key: "lock.waitMs", value: 5 } as const;
    await changeSetting(frameOf(place), change);
    expect(await trust()).toEqual({ state: "untrusted", claude: "untrusted" });
    await trustWorkspace(frameOf(place));
    await changeSetting(frameOf(place), { ...change, value: 6 });
    expect(await trust()).toEqual({ state: "trusted", claude: "trusted" });
    mkdirSync(join(place.workspace, ".claude", "agents"));
    await changeSetting(frameOf(place), { ...change, value: 7 });
    expect(await trust()).toEqual({ state: "trusted", claude: "untrusted" });
  });

  it("is the one that a link in the home leads to, even if that does not exist yet", async () => {
    const place = playground();
    mkdirSync(place.home);
    mkdirSync(join(place.root, "dotfiles"));
    symlinkSync(join(place.root, "dotfiles"), join(place.root, "link"));
    rmSync(place.home, { recursive: true });
    symlinkSync(join(place.root, "link"), place.home);
    const written = await changeSetting(frameOf(place), { where: "user", key: "trash.days", value: 5 });
    const file = join(place.root, "dotfiles", "settings.json");
    expect(written).toMatchObject({ file, outcome: "written", effect: { state: "counts" } });
    expect(readdirSync(join(place.root, "dotfiles"))).toEqual(["settings.json"]);
    expect(realpathSync(place.files.user)).toBe(file);
  });

  const refused = async (place: ReturnType<typeof playground>, reason: string, params: object) => {
    const before = place.everything();
    await expect(
      changeSetting(frameOf(place), { where: "local", key: "lock.waitMs", value: 5 }),
    ).rejects.toMatchObject({ reason, params });
    expect(place.everything()).toEqual(before);
  };

  it("cannot be in a workspace if the setting is one for all workspaces", async () => {
    const place = playground();
    const change = { where: "local", key: "trash.days", value: 5 } as const;
    await expect(changeSetting(frameOf(place), change)).rejects.toMatchObject({
      reason: "setting-of-all-workspaces",
      params: { key: "trash.days" },
    });
  });

  it("cannot be outside the workspace, even next to it, in a folder with a similar name", async () => {
    const place = playground();
    const outside = `${place.workspace}-2`;
    mkdirSync(outside);
    symlinkSync(outside, join(place.workspace, ".worldline"));
    const path = join(outside, "settings.local.json");
    await refused(place, "settings-file-outside", { file: place.files.local, path });
    rmSync(outside, { recursive: true });
    await refused(place, "file-below-a-link", { path: place.files.local });
  });

  it("may be in the workspace in another place, which a link leads to", async () => {
    const place = playground();
    mkdirSync(join(place.workspace, "config"));
    symlinkSync("config", join(place.workspace, ".worldline"));
    const change = { where: "local", key: "lock.waitMs", value: 5 } as const;
    const file = join(place.workspace, "config", "settings.local.json");
    expect(await changeSetting(frameOf(place), change)).toMatchObject({ file, outcome: "written" });
    writeFileSync(join(place.workspace, "own.json"), "{}");
    rmSync(file);
    symlinkSync("../own.json", file);
    const own = join(place.workspace, "own.json");
    expect(await changeSetting(frameOf(place), change)).toMatchObject({ file: own, outcome: "written" });
  });

  it("cannot be the workspace's if that is the user's", async () => {
    const place = playground();
    mkdirSync(place.home);
    symlinkSync(place.home, join(place.workspace, ".worldline"));
    await refused(place, "workspace-without-settings", { workspace: place.workspace });
  });

  it("is unchanged if the change would leave it invalid", async () => {
    const place = playground();
    place.write("local", '{ "trash": 5 }');
    await refused(place, "settings-value-unexpected", {
      ...{ file: place.files.local, line: 1, column: 12 },
      ...{ key: "trash", expected: { is: "object" }, found: "5" },
    });
  });
});
