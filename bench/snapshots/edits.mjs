import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seeded } from "./material.mjs";

/** Chooses `count` different items of a list; the same seed always chooses the same items. */
function chosen(list, count, random) {
  const picked = new Set();
  while (picked.size < Math.min(count, list.length)) picked.add(list[Math.floor(random() * list.length)]);
  return [...picked];
}

/**
 * Edits files in a workspace. The files and their changes depend only on the tag, so every contender
 * gets exactly the same edits.
 * @param {{ workspace: string, texts: readonly string[], folders: readonly string[] }} made
 */
export function editor({ workspace, texts, folders }) {
  const at = (path) => join(workspace, path);
  const randomOf = (tag) => seeded([...tag].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) >>> 0, 42));

  function change(path, tag, random) {
    const lines = readFileSync(at(path), "utf8").split("\n");
    lines.splice(Math.floor(random() * lines.length), 1, `// changed in ${tag} of ${path}`);
    writeFileSync(at(path), lines.join("\n"));
  }

  return {
    /** Changes `count` files in place and returns their paths. */
    edit(tag, count) {
      const random = randomOf(tag);
      const paths = chosen(texts, count, random);
      for (const path of paths) change(path, tag, random);
      return paths;
    },

    /**
     * Changes, creates and deletes files, with a fifth of the created files in a new folder. Returns
     * every affected path.
     */
    upheaval(tag, { changed, created, deleted }) {
      const random = randomOf(tag);
      const picked = chosen(texts, changed + deleted, random);
      for (const path of picked.slice(0, changed)) change(path, tag, random);
      for (const path of picked.slice(changed)) rmSync(at(path));
      const homes = chosen(folders, Math.min(created, folders.length), random);
      const fresh = Array.from({ length: created }, (_, index) =>
        index % 5 === 0
          ? `${homes[0]}/new-${tag}/file-${index}.ts`
          : `${homes[index % homes.length]}/new-${tag}-${index}.ts`,
      );
      for (const path of fresh) {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), `// created in ${tag}\n`.repeat(1 + Math.floor(random() * 300)));
      }
      return [...picked, ...fresh];
    },
  };
}
