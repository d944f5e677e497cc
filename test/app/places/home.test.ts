import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  dropOutputs,
  homeFolder,
  looksLikePath,
  makeFolder,
  namedBy,
  outputsOf,
  outputsWith,
  provideHome,
  sdkFolder,
  systemCode,
  withHome,
} from "../../../src/app/places/home.ts";
import type { StorePlace } from "../../../src/ports/log-store.ts";
import type { SessionId } from "../../../src/record/ids.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "worldline-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("the home folder", () => {
  it("is WORLDLINE_HOME, or .worldline in the user's own", () => {
    const usual = join(homedir(), ".worldline");
    expect(homeFolder({ WORLDLINE_HOME: "/somewhere/else" })).toBe("/somewhere/else");
    expect(homeFolder({ WORLDLINE_HOME: "here" })).toBe(resolve("here"));
    expect(homeFolder({ WORLDLINE_HOME: "~/kept" })).toBe(join(homedir(), "kept"));
    expect([homeFolder({}), homeFolder({ WORLDLINE_HOME: "" })]).toEqual([usual, usual]);
  });

  it("is made for its owner only", async () => {
    const folder = join(temporary(), "a", "b");
    await provideHome(folder);
    await provideHome(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("that cannot be created is refused at once, where Node itself would try forever", async () => {
    await expect(provideHome("/proc/nope/home")).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("/proc/nope/home cannot be created"),
      hint: expect.stringContaining("WORLDLINE_HOME"),
    });
  });

  it("may be behind a link, and be created by two processes at once", async () => {
    const root = temporary();
    symlinkSync(root, join(root, "link"));
    const folder = join(root, "link", "a", "b");
    await Promise.all([provideHome(folder), provideHome(folder)]);
    expect(statSync(join(root, "a", "b")).isDirectory()).toBe(true);
  });

  it("cannot be a file, nor inside one", async () => {
    const file = join(temporary(), "file");
    writeFileSync(file, "");
    const refused = { code: "STORE_UNWRITABLE", hint: expect.stringContaining("WORLDLINE_HOME") };
    await expect(provideHome(file)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("is not a folder"),
    });
    await expect(provideHome(join(file, "x"))).rejects.toMatchObject(refused);
  });

  it("that cannot be created says why", async () => {
    const file = join(temporary(), "file");
    writeFileSync(file, "");
    await expect(provideHome(file)).rejects.toMatchObject({
      reason: "home-not-a-folder",
      params: { folder: file },
      cause: { code: "EEXIST" },
    });
    const folder = join(file, "x");
    await expect(provideHome(folder)).rejects.toMatchObject({
      reason: "home-not-made",
      params: { folder, why: expect.stringContaining(`EEXIST: file already exists, mkdir '${file}'`) },
      cause: { code: "EEXIST" },
    });
  });
});

describe("a folder that is made", () => {
  it("has the mode that was given, with all of its parents, and keeps its mode if it exists", async () => {
    const root = temporary();
    await makeFolder(join(root, "a", "b"), 0o750);
    const modes = () => [join(root, "a"), join(root, "a", "b")].map((each) => statSync(each).mode & 0o777);
    expect(modes()).toEqual([0o750, 0o750]);
    await makeFolder(join(root, "a", "b"), 0o700);
    expect(modes()).toEqual([0o750, 0o750]);
  });

  it("cannot be below a file, nor take the place of one", async () => {
    const file = join(temporary(), "file");
    writeFileSync(file, "");
    for (const folder of [file, join(file, "a")]) {
      await expect(makeFolder(folder, 0o700)).rejects.toMatchObject({ code: "EEXIST", path: file });
    }
  });
});

describe("the code of a system error", () => {
  it.each<[unknown, string | undefined]>([
    [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
    [Object.assign(new Error("x"), { code: 5 }), undefined],
    [new Error("ENOENT"), undefined],
    [{ code: "ENOENT" }, undefined],
    [undefined, undefined],
  ])("of %o is %j", (error, code) => {
    expect(systemCode(error)).toBe(code);
  });
});

describe("a word on the command line", () => {
  it("may name a folder or a file, from the current folder", () => {
    const root = temporary();
    mkdirSync(join(root, "folder"));
    writeFileSync(join(root, "file"), "");
    const named = (word: string) => namedBy(word, () => root);
    expect(["folder", ".", join(root, "folder"), "file"].map(named)).toEqual([
      "folder",
      "folder",
      "folder",
      "file",
    ]);
    expect(["nothing", "file/x", "x".repeat(10_000), "a\0b"].map(named)).toEqual([
      "nothing",
      "nothing",
      "nothing",
      "nothing",
    ]);
  });

  it("names nothing if the current folder is gone", () => {
    const gone = () => {
      throw new Error("ENOENT: uv_cwd");
    };
    expect(namedBy("folder", gone)).toBe("nothing");
  });

  it("looks like a path if it cannot be anything else", () => {
    const paths = ["/", "/a", "./a", "../a", "~", "~/a", "a/", "a/b/"];
    const others = ["a", "a/b", ".../a", "~a", "a~", "x/~", "./a b", "a b/", "", ".", ".."];
    expect([...paths, ...others].filter(looksLikePath)).toEqual(paths);
  });
});

describe("a path that no shell has expanded", () => {
  it("begins with ~ for the user's home folder", () => {
    expect(["~", "~/a/b", "~a", "a/~", "/a"].map(withHome)).toEqual([
      homedir(),
      join(homedir(), "a/b"),
      "~a",
      "a/~",
      "/a",
    ]);
  });
});

describe("the folder of Claude's SDK", () => {
  it("is the one that the setting names, or none", () => {
    expect(["", "/opt/sdk", "~/sdk"].map(sdkFolder)).toEqual([undefined, "/opt/sdk", join(homedir(), "sdk")]);
  });

  it("cannot be relative, because it would depend on the current folder", () => {
    expect(() => sdkFolder("sdk")).toThrow(
      expect.objectContaining({ reason: "sdk-folder-relative", params: { folder: "sdk" } }),
    );
  });
});

describe("the long outputs of a session", () => {
  const [one, two] = ["k3f9x2m7q1", "k3f9x2m7q2"] as [SessionId, SessionId];
  const put = (home: string, session: string, name: string, content: string) => {
    mkdirSync(join(home, "outputs", session), { recursive: true });
    writeFileSync(join(home, "outputs", session, name), content);
  };

  it("are next to its log, or in a place of their own if the log is in a database", () => {
    const place = (kind: StorePlace["kind"]) => outputsOf("/home", { kind } as StorePlace, one);
    expect([place("files"), place("sqlite"), place("postgres")]).toEqual([
      `/home/sessions/${one}/outputs`,
      `/home/outputs/${one}`,
      `/home/outputs/${one}`,
    ]);
  });

  it("are found by their text, and dropped with their session", async () => {
    const home = temporary();
    const withSecret = () => outputsWith(home, (bytes) => bytes.includes("secret"));
    expect(await withSecret()).toEqual([]);
    put(home, one, "a.txt", "a secret");
    put(home, one, "b.txt", "nothing");
    put(home, two, "c.txt", "secret");
    const found = await withSecret();
    expect(found).toEqual([
      { session: one, path: join(home, "outputs", one, "a.txt") },
      { session: two, path: join(home, "outputs", two, "c.txt") },
    ]);
    await dropOutputs(home, [one, "unknown" as SessionId]);
    expect(await withSecret()).toEqual(found.slice(1));
  });

  it("are not searched silently in part: a place that is no folder is an error", async () => {
    const home = temporary();
    writeFileSync(join(home, "outputs"), "");
    await expect(outputsWith(home, () => true)).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});
