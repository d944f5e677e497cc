import { lstat } from "node:fs/promises";
import { resolve } from "node:path";

const AT_ONCE = 64;

/** Paths, those changed last first; paths of the same age by name. */
export async function newestFirst(folder: string, paths: readonly string[]): Promise<string[]> {
  const dated: { readonly path: string; readonly at: number }[] = [];
  for (let index = 0; index < paths.length; index += AT_ONCE) {
    const some = paths.slice(index, index + AT_ONCE);
    dated.push(
      ...(await Promise.all(
        some.map(async (path) => ({ path, at: await changedAt(resolve(folder, path)) })),
      )),
    );
  }
  return dated
    .sort((one, other) => other.at - one.at || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch {
    // Gone since it was found, or a name that is no UTF-8.
    return 0;
  }
}
