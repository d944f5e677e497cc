import type { FilesFinding, ForgottenFiles } from "../../../../machine/forget/in-files.ts";
import type { ForgetWish } from "../../../../machine/forget/wish.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { oneLine } from "../../../output/printable.ts";

type Words = Strings["forget"];

const MOST_SHOWN = 20;

/** Which files of snapshots will be erased. For a path, where else the same content is: it goes there too. */
export function filesLines(words: Words, wish: ForgetWish, files: FilesFinding): string[] {
  if (files.contents === 0) return [];
  const isWished = (place: string): boolean =>
    wish.what === "path" && (place === wish.path || place.startsWith(`${wish.path}/`));
  const wished = files.places.filter(isWished);
  const others = files.places.filter((place) => !isWished(place));
  return [
    words.inFiles(files.contents, files.snapshots),
    ...listed(words, wished),
    ...(wish.what === "path" && others.length > 0 ? [words.alsoAt] : []),
    ...listed(words, others),
  ];
}

/** What the person has to know, because it stays. */
export function filesWarnings(words: Words, found: FilesFinding): string[] {
  const { inWorkspace, inNames, unreadable, unlisted } = found;
  return [
    ...(inWorkspace.length === 0 ? [] : [words.inWorkspace(oneLine(few(words, inWorkspace)))]),
    ...(inNames === 0 ? [] : [words.inNames(inNames)]),
    ...(unreadable === 0 ? [] : [words.unreadableFiles(unreadable)]),
    ...(unlisted.length === 0 ? [] : [words.unlisted(few(words, unlisted))]),
  ];
}

export function leftLines(words: Words, { left }: ForgottenFiles): string[] {
  return left.map(({ contents, why, by }) =>
    why === "held" ? words.held(contents, oneLine(by ?? "")) : words.damagedBeside(contents),
  );
}

function listed(words: Words, places: readonly string[]): string[] {
  const more = places.length - MOST_SHOWN;
  return [
    ...places.slice(0, MOST_SHOWN).map((place) => words.place(oneLine(place))),
    ...(more > 0 ? [words.place(words.more(more))] : []),
  ];
}

function few(words: Words, places: readonly string[]): string {
  const more = places.length - MOST_SHOWN;
  return [...places.slice(0, MOST_SHOWN), ...(more > 0 ? [words.more(more)] : [])].join(", ");
}
