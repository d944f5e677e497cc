import type { AsyncFzf, FzfResultItem } from "fzf";

const FRESH_MS = 5_000;
const MOST_FILES = 20;

/** Files that can be mentioned, found by some of their letters. */
export interface FileMentions {
  /** Resolves with the best first; with none where a later search took this one's place. */
  find(letters: string): Promise<readonly string[]>;
}

/**
 * The list is asked for once and again when it has become old; meanwhile the old one serves, so that typing never waits
 * for a walk through the workspace but the first time.
 */
export function fileMentions(list: () => Promise<readonly string[]>, now: () => number): FileMentions {
  let known: { readonly files: readonly string[]; readonly finder: Finder; readonly at: number } | undefined;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      // Loaded when something is mentioned: it makes tables as it is loaded.
      const [files, { AsyncFzf }] = await Promise.all([list(), import("fzf")]);
      known = {
        files,
        finder: new AsyncFzf([...files], { limit: MOST_FILES, casing: "smart-case" }),
        at: now(),
      };
    } catch {
      // Without a list nothing is offered; the workspace may be there again at the next letter.
    } finally {
      asking = undefined;
    }
  };
  return {
    find: async (letters) => {
      if (known === undefined || now() - known.at > FRESH_MS) asking ??= ask();
      if (known === undefined) await asking;
      if (known === undefined) return [];
      return letters === "" ? nearest(known.files) : found(known.finder, letters);
    },
  };
}

type Finder = AsyncFzf<string[]>;

async function found(finder: Finder, letters: string): Promise<readonly string[]> {
  try {
    return (await finder.find(letters)).map(({ item }: FzfResultItem<string>) => item);
  } catch {
    // The finder rejects a search that the next letter has overtaken.
    return [];
  }
}

function nearest(files: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split("/").length;
  return files.toSorted((one, other) => depth(one) - depth(other)).slice(0, MOST_FILES);
}
