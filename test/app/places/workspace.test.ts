import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findWorkspace } from "../../../src/app/places/workspace.ts";

/** Creates root/project/src/deep with nothing above it that could count as a workspace. */
function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worldline-workspace-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const project = join(root, "project");
  const deep = join(project, "src", "deep");
  mkdirSync(deep, { recursive: true });
  const from = (cwd: string, known: readonly string[] = []) => ({ cwd: () => cwd, known: async () => known });
  return { root, project, deep, from };
}

const NOBODY = 65_534;

/** Root can read every file, so when the tests run as root the work is done as the user `nobody`. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the workspace", () => {
  it("is the one given, with links followed, relative to the current folder", async () => {
    const { root, project, deep, from } = folders();
    symlinkSync(project, join(root, "link"));
    expect(await findWorkspace({ given: join(root, "link"), ...from(deep) })).toBe(project);
    expect(await findWorkspace({ given: "../..", ...from(deep) })).toBe(project);
  });

  it("is else the nearest that has a session or a .git, folder or file", async () => {
    const { root, project, deep, from } = folders();
    mkdirSync(join(root, ".git"));
    expect(await findWorkspace(from(deep))).toBe(root);
    expect(await findWorkspace(from(deep, [root, project]))).toBe(project);
    writeFileSync(join(project, ".git"), "gitdir: elsewhere\n");
    expect(await findWorkspace(from(deep, [root, "/somewhere/else"]))).toBe(project);
    expect(await findWorkspace(from(deep, [deep]))).toBe(deep);
  });

  it("is the current folder without a search for sessions if that has a .git", async () => {
    const { project } = folders();
    mkdirSync(join(project, ".git"));
    const known = async () => Promise.reject(new Error("The sessions were searched."));
    expect(await findWorkspace({ cwd: () => project, known })).toBe(project);
  });

  it("is the home folder, or one that contains it, only if the user is in it or names it", async () => {
    const { root, project, deep, from } = folders();
    const known = [root, project, "/"];
    mkdirSync(join(project, ".git"));
    for (const userHome of [root, project]) {
      expect(await findWorkspace({ ...from(deep, known), userHome })).toBe(
        userHome === root ? project : deep,
      );
      expect(await findWorkspace({ ...from(userHome, known), userHome })).toBe(userHome);
      expect(await findWorkspace({ given: userHome, ...from(deep, known), userHome })).toBe(userHome);
    }
    expect(await findWorkspace({ ...from("/", known), userHome: root })).toBe("/");
  });

  it("is else the current folder", async () => {
    const { deep, from } = folders();
    expect(await findWorkspace(from(deep))).toBe(deep);
  });

  it("cannot be missing, a file or inside a file", async () => {
    const { project, from } = folders();
    writeFileSync(join(project, "file"), "");
    for (const [given, why, more] of [
      ["nowhere", "it does not exist", { cause: { code: "ENOENT" } }],
      ["file", "it is not a folder", {}],
      ["file/x", "part of its path is not a folder", { cause: { code: "ENOTDIR" } }],
    ] as const) {
      await expect(findWorkspace({ given, ...from(project) }), given).rejects.toMatchObject({
        code: "WORKSPACE_UNUSABLE",
        message: `${join(project, given)} cannot be the workspace: ${why}.`,
        hint: expect.any(String),
        ...more,
      });
    }
  });

  it("cannot be the current folder when that was removed", async () => {
    const gone = () => {
      throw new Error("ENOENT: uv_cwd");
    };
    await expect(findWorkspace({ cwd: gone, known: async () => [] })).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
      reason: "current-folder-gone",
      cause: { message: "ENOENT: uv_cwd" },
      hint: expect.any(String),
    });
  });

  it("cannot be a link that leads to itself", async () => {
    const { project, from } = folders();
    symlinkSync("loop", join(project, "loop"));
    await expect(findWorkspace({ given: "loop", ...from(project) })).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
      message: expect.stringContaining("ELOOP"),
    });
  });

  it("cannot be a folder that may not be read, nor one below it", async () => {
    const { root, project, deep, from } = folders();
    chmodSync(root, 0o755);
    chmodSync(project, 0o000);
    onTestFinished(() => chmodSync(project, 0o700));
    for (const folder of [project, deep]) {
      await expect(asNobody(async () => findWorkspace(from(folder)))).rejects.toMatchObject({
        code: "WORKSPACE_UNUSABLE",
        message: `${folder} cannot be the workspace: you do not have permission to read it.`,
        cause: { code: "EACCES" },
      });
    }
  });
});
