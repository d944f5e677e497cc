import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * For contenders that write into the person's repository: their new objects go to a folder of their own, and the
 * person's are read from where they are. Two of them in one repository would else find each other's objects, write
 * nothing and look quick and small.
 */
export function ownObjects(workspace, store) {
  const objects = join(store, "objects");
  mkdirSync(objects, { recursive: true });
  return {
    ...process.env,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(workspace, ".git", "objects"),
  };
}
