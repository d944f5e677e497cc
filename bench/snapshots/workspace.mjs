import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seeded, textSource } from "./material.mjs";
import { userGit } from "./user-git.mjs";

/** The names of the workspaces on the command line, and their contents. */
export const sizes = {
  "1k": { files: 1000, ignored: 0 },
  "10k": { files: 10_000, ignored: 20_000 },
  "100k": { files: 100_000, ignored: 0 },
};

const FILES_EACH_FOLDER = 10;
const FILES_EACH_BINARY = 2000;
// Avoids every name on cline's exclusion list (`build`, `*.bin` ...), so that all contenders store the same
// files.
const stems = ["src", "lib", "parser", "store", "views", "model", "tools", "notes", "widgets", "net"];
const endings = [".ts", ".ts", ".py", ".md", ".json", ".css"];

/** Folders two to six levels deep, each in an earlier folder or in the top folder. */
function folderNames(count, random) {
  const tops = Array.from(
    { length: Math.max(4, Math.round(count / 100)) },
    (_, index) => `${stems[index % 10]}-${index}`,
  );
  const folders = tops.map((top) => `${top}/main`);
  while (folders.length < count) {
    const above = folders[Math.floor(random() * folders.length)];
    if (above.split("/").length < 6)
      folders.push(`${above}/${stems[Math.floor(random() * 10)]}-${folders.length}`);
  }
  return folders;
}

/** 1 to 20 KB, median 6 KB: many small files and few large ones. */
const textLength = (random) => 1024 + Math.floor(19 * 1024 * random() ** 2.8);

/** Random bytes, which are as incompressible as an image or an archive. */
function binary(random, seed) {
  const bytes = Buffer.alloc(1_000_000 + Math.floor(random() * 4_000_000));
  for (let at = 0, block = 0; at < bytes.length; at += 32, block += 1) {
    createHash("sha256").update(`${seed}:${block}`).digest().copy(bytes, at);
  }
  return bytes;
}

function writeInto(workspace, path, bytes) {
  const file = join(workspace, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

function writeIgnored(workspace, count, random) {
  const source = textSource(random, 1 << 18);
  for (let index = 0; index < count; index += 1) {
    const path = `node_modules/package-${Math.floor(index / 100)}/lib/file-${index % 100}.js`;
    const start = Math.floor(random() * (source.length - 4096));
    writeInto(workspace, path, source.slice(start, start + 500 + Math.floor(random() * 3000)));
  }
}

/**
 * Creates a workspace in the empty folder: for each size the same bytes on every machine, committed and packed in a
 * git repository, as in a fresh clone.
 * @returns {Promise<{ workspace: string, texts: string[], folders: string[] }>} The files that may be edited, and the
 * folders in which files may be created.
 */
export async function makeWorkspace(workspace, size) {
  const random = seeded(42);
  const { files, ignored } = sizes[size];
  const folders = folderNames(Math.ceil(files / FILES_EACH_FOLDER), random);
  const source = textSource(random, 1 << 22);
  const texts = [];
  for (let index = 0; index < files; index += 1) {
    const folder = folders[Math.floor(random() * folders.length)];
    if (index % FILES_EACH_BINARY === FILES_EACH_BINARY / 2 - 1) {
      writeInto(workspace, `${folder}/asset-${index}.wasm`, binary(random, index));
      continue;
    }
    const path = `${folder}/${stems[index % 10]}-${index}${endings[index % endings.length]}`;
    const start = Math.floor(random() * (source.length - 32_768));
    writeInto(workspace, path, `// ${path}\n${source.slice(start, start + textLength(random))}\n`);
    texts.push(path);
  }
  writeInto(workspace, ".gitignore", "node_modules/\n");
  writeIgnored(workspace, ignored, random);
  const git = userGit(workspace);
  await git(["init", "-q", "--initial-branch=main"]);
  await git(["add", "-A"]);
  await git(["commit", "-q", "-m", "start"]);
  await git(["repack", "-adq", "--window=0"]);
  return { workspace, texts, folders };
}
