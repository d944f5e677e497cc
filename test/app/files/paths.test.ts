import { mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  firstKnown,
  leftOutAt,
  meantPaths,
  pathDocument,
  pathsMeant,
  pathText,
  requireKnown,
  shortPathText,
  whyLeftOut,
} from "../../../src/app/files/paths.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { type FileState, type PathBytes, pathOfText } from "../../../src/record/files.ts";
import type { ObjectHash, SnapshotId } from "../../../src/record/ids.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

describe("a path for people", () => {
  it.each([
    ["src/a.txt", "src/a.txt"],
    [pathOfText("größe/文.txt"), "größe/文.txt"],
    ["", "."],
    ["a\xffb", "a\\xffb"],
    ["a\nb\u001b[2J", "a\\x0ab\\x1b[2J"],
    [pathOfText("a\u202eb"), "a<U+202E>b"],
    [pathOfText("a\u009bb"), "a\\x9bb"],
  ])("of %j is %j", (path, text) => {
    expect(pathText(path)).toBe(text);
  });

  it("is shown whole in a list up to 160 characters, and otherwise without its middle", () => {
    const characters = (count: number) => pathOfText("文".repeat(count));
    expect(shortPathText(characters(160))).toBe("文".repeat(160));
    expect(shortPathText(`${"a".repeat(100)}/${"b".repeat(100)}`)).toBe(
      `${"a".repeat(79)}…${"b".repeat(79)}`,
    );
    expect(shortPathText(pathOfText("😀".repeat(161)))).toBe(`${"😀".repeat(79)}…${"😀".repeat(79)}`);
  });
});

describe("a path for programs", () => {
  it("has its bytes if it is not text", () => {
    expect(pathDocument(pathOfText("größe\n"))).toEqual({ path: "größe\n" });
    expect(pathDocument("a\xff")).toEqual({ path: "a\\xff", bytes: "Yf8=" });
  });
});

/** A workspace with the folder `src`, a link to it, and a link to a folder outside. */
function place() {
  const made = playground();
  const at = (path: string) => join(made.workspace, path);
  mkdirSync(at("src/deep"), { recursive: true });
  symlinkSync(at("src"), at("link"));
  symlinkSync(made.root, at("out"));
  symlinkSync(made.workspace, join(made.root, "way-in"));
  const meant = async (given: string, cwd: string = made.workspace) =>
    pathsMeant(recordingContext(made, { cwd }).context, made.workspace, given);
  return { ...made, at, meant };
}

describe("the paths that the user may mean", () => {
  const examples: readonly (readonly [given: string, from: string, paths: readonly string[]])[] = [
    ["a.txt", "", ["a.txt"]],
    [".", "", [""]],
    [".", "src/deep", ["src/deep"]],
    ["a.txt", "src/deep", ["src/deep/a.txt"]],
    ["../a.txt", "src/deep", ["src/a.txt"]],
    ["..a", "", ["..a"]],
    ["größe.txt", "", [pathOfText("größe.txt")]],
    ["link", "", ["link"]],
    ["link/a.txt", "", ["link/a.txt"]],
    ["a\\xff\\x0a", "", ["a\\xff\\x0a", "a\xff\n"]],
    ["a\\xFF", "", ["a\\xFF"]],
    ["a\\xf", "", ["a\\xf"]],
    ["src/a.txt", "..", ["src/a.txt"]],
    ["../workspace/src", "src/..", ["src"]],
    ["way-in/src/a.txt", "..", ["src/a.txt"]],
  ];

  it("are relative to the current folder", async () => {
    const { meant, at } = place();
    const found = examples.map(async ([given, from]) => [given, from, await meant(given, at(from))]);
    expect(await Promise.all(found)).toEqual(examples);
  });

  it("may be absolute", async () => {
    const { meant, root, workspace } = place();
    expect(await meant(join(workspace, "src", "a.txt"))).toEqual(["src/a.txt"]);
    expect(await meant(join(root, "way-in", "a.txt"))).toEqual(["a.txt"]);
    expect(await meant(join(root, "way-in", "nowhere", "..", "a.txt"))).toEqual(["a.txt"]);
  });

  it("are not outside of the workspace", async () => {
    const { meant, workspace } = place();
    const given = ["..", "../other", "/", "/etc/hosts"];
    const refused = await Promise.all(
      given.map(async (path) => meant(path).catch((error: unknown) => error)),
    );
    expect(refused).toEqual(given.map((path) => new WorldlineError("path-outside", { path, workspace })));
  });

  it("are relative to the workspace only if the current folder is outside it", async () => {
    const { meant, at, root, workspace } = place();
    expect(await meant("workspace/a.txt", root)).toEqual(["a.txt"]);
    expect(await meant("a.txt", join(root, "home"))).toEqual(["a.txt"]);
    // From the workspace, this path would lead back into it.
    const path = `../../${basename(root)}/workspace/a.txt`;
    const outside = new WorldlineError("path-outside", { path, workspace });
    await expect(meant(path, at("src"))).rejects.toEqual(outside);
  });

  it("are none for an empty text", async () => {
    await expect(place().meant("")).rejects.toEqual(new WorldlineError("path-empty", {}));
  });

  it("are kept with what the user typed", async () => {
    const { workspace, home } = place();
    const { context } = recordingContext({ workspace, home });
    expect(await meantPaths(context, workspace, ["a", "./b\\x00"])).toEqual([
      { given: "a", paths: ["a"] },
      { given: "./b\\x00", paths: ["b\\x00", "b\0"] },
    ]);
  });
});

const file: FileState = { kind: "file", mode: 0o644, size: 1, hash: "h" as ObjectHash };
const [first, second] = ["first", "second"] as unknown as readonly [SnapshotId, SnapshotId];

/** Two snapshots: the first has `a`, the second has `b` and leaves out `big`. */
const states = {
  stateAt: async (snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined> => {
    if (snapshot === first) return path === "a" ? file : undefined;
    if (path === "big") return { kind: "left-out", why: "too-large" };
    return path === "b" ? file : undefined;
  },
};

describe("a path that a snapshot contains", () => {
  it("is the first of those that the user may mean", async () => {
    expect(await firstKnown(states, first, ["b", "a"])).toEqual({ path: "a", state: file });
    expect(await firstKnown(states, second, ["a"])).toBeUndefined();
  });

  it("is required in at least one of the snapshots, unless it is the workspace", async () => {
    const known = { files: states, snapshots: [first, second] };
    const meant = (...given: readonly string[]) => given.map((each) => ({ given: each, paths: [each] }));
    await expect(requireKnown(meant("a", "b", ""), known)).resolves.toBeUndefined();
    await expect(requireKnown([{ given: "a\\x00", paths: ["a\\x00", "a"] }], known)).resolves.toBeUndefined();
    await expect(requireKnown(meant("a", "c"), known)).rejects.toEqual(
      new WorldlineError("path-in-neither", { path: "c" }),
    );
    await expect(requireKnown(meant("b"), { files: states, snapshots: [first] })).rejects.toEqual(
      new WorldlineError("path-in-neither", { path: "b" }),
    );
  });
});

describe("a path that a snapshot leaves out", () => {
  it("is the given one or a folder above it", async () => {
    const found = { path: "big", why: "too-large" };
    expect(await leftOutAt(states, second, "big")).toEqual(found);
    expect(await leftOutAt(states, second, "big/deep/a")).toEqual(found);
    expect(await leftOutAt(states, second, "b/deep")).toBeUndefined();
    expect(await leftOutAt(states, second, "")).toBeUndefined();
    expect(await leftOutAt(states, first, "big")).toBeUndefined();
  });

  it.each([
    ["node_modules", "ignored", "never-captured"],
    ["src/node_modules", "ignored", "never-captured"],
    ["node_modules/a", "ignored", "ignored"],
    ["node_modules", "too-large", "too-large"],
    ["dist", "ignored", "ignored"],
  ] as const)("has a reason: %s (%s) is %s", (path, why, reason) => {
    expect(whyLeftOut(path, why)).toBe(reason);
  });
});
