import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Calls `visit` for each path under a folder, folders before their contents. */
export function walk(top, { under, leaveOut, visit }) {
  const folders = [under];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(`${top}/${folder}`, { withFileTypes: true })) {
      if (leaveOut.includes(entry.name)) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      visit(path, entry);
      if (entry.isDirectory()) folders.push(path);
    }
  }
}

/** Visits every file and folder: the minimum cost of finding a change when nothing is known. */
export function lookAt({ top, under, leaveOut }) {
  let seen = 0;
  walk(top, {
    under,
    leaveOut,
    visit: (path) => {
      lstatSync(`${top}/${path}`);
      seen += 1;
    },
  });
  return seen;
}

/** A text for a path that is equal only for equal content, mode and kind. */
function wordFor(file, entry) {
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return `link ${readlinkSync(file)}`;
  const mode = (lstatSync(file).mode & 0o777).toString(8);
  return `${mode} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}

/** Every path under a folder, with that text. */
export function hashAll({ top, under, leaveOut }) {
  const words = [];
  walk(top, {
    under,
    leaveOut,
    visit: (path, entry) => words.push([path, wordFor(`${top}/${path}`, entry)]),
  });
  return words;
}
