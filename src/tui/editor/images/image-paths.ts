const IMAGE = /\.(?:png|jpe?g|gif|webp)$/iu;
/** In quotes, or with escaped spaces: as shells and terminals write what is dragged into them. */
const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:\\.|[^\s'"\\])+)/gu;
const LONGEST_PASTE = 4096;

/** The paths of image files that a pasted text is made of, and of nothing else; none where it is any other text. */
export function imagePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text === "" || text.length > LONGEST_PASTE) return [];
  const words = [...text.matchAll(WORD)].map(([, single, double, bare]) =>
    plainPath(single ?? (double ?? bare ?? "").replaceAll(/\\(.)/gu, "$1")),
  );
  if (words.length > 0 && words.every((word) => IMAGE.test(word))) return words;
  return IMAGE.test(text) && !text.includes("\n") ? [plainPath(text)] : [];
}

function plainPath(word: string): string {
  if (!word.startsWith("file://")) return word;
  const path = word.slice("file://".length).replace(/^[^/]*/u, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
