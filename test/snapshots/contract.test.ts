import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "vitest";
import type { WorkspaceFiles } from "../../src/ports/workspace-files.ts";
import { folderOf } from "../../src/record/files.ts";
import { realWorkspaceDisk } from "../../src/snapshots/workspace/real-workspace-disk.ts";
import { FailingWorkspaceDisk } from "../../src/testing/disk/failing-workspace-disk.ts";
import { tempFolder, type WorkspaceFilesSubject, workspaceFilesContract } from "../../src/testing/testing.ts";
import { FilesWorld, KEEP_REFERENCED } from "../laws/files/files-world.ts";
import { MemoryWorkspace } from "../machine/memory-workspace.ts";

function filesOnDisk(): WorkspaceFilesSubject {
  const folder = tempFolder();
  const world = new FilesWorld(folder.path);
  const disk = new FailingWorkspaceDisk(realWorkspaceDisk);
  const opened: WorkspaceFiles[] = [world.open({ workspaceDisk: disk })];
  const [files] = opened as [WorkspaceFiles];
  const at = (path: string): string => join(world.workspace, path);
  return {
    files,
    another: () => {
      const other = world.open();
      opened.push(other);
      return other;
    },
    write: (path, text, mode = 0o644) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
      chmodSync(at(path), mode);
    },
    mkdir: (path) => void mkdirSync(at(path), { recursive: true }),
    remove: (path) => rmSync(at(path), { recursive: true }),
    there: () => thereIn(world.workspace, ""),
    link: (path, target) => symlinkSync(target, at(path)),
    killRestoreAfter: (paths) => {
      let renames = 0;
      disk.faults = ({ name }) => {
        if (name === "rename") renames += 1;
        return renames > paths ? "killed" : undefined;
      };
    },
    collect: async () => {
      const upkeep = world.upkeep();
      await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
      upkeep.close();
    },
    end: async () => {
      disk.faults = () => undefined;
      for (const each of opened) await each.close().catch(() => undefined);
      folder.remove();
    },
  };
}

function thereIn(root: string, path: string): Record<string, string> {
  const stat = lstatSync(join(root, path));
  if (stat.isSymbolicLink()) return { [path]: "(link)" };
  if (!stat.isDirectory()) return { [path]: readFileSync(join(root, path), "utf8") };
  const names = readdirSync(join(root, path)).sort();
  if (names.length === 0 && path !== "") return { [path]: "(folder)" };
  return Object.assign({}, ...names.map((name) => thereIn(root, path === "" ? name : `${path}/${name}`)));
}

function filesInMemory(): WorkspaceFilesSubject {
  const files = new MemoryWorkspace();
  return {
    files,
    another: () => files,
    write: (path, text, mode) => {
      files.mkdir(folderOf(path));
      files.write(path, text, mode);
    },
    mkdir: (path) => files.mkdir(path),
    remove: (path) => files.remove(path),
    there: () => files.told,
    link: { notHere: "nothing in memory is outside of it" },
    killRestoreAfter: (paths) => {
      files.killAt = paths;
    },
    collect: { notHere: "it never lets anything go" },
    end: async () => files.close(),
  };
}

workspaceFilesContract("StoredWorkspaceFiles", { describe, it, open: filesOnDisk });
workspaceFilesContract("the workspace in memory that other tests use", { describe, it, open: filesInMemory });
