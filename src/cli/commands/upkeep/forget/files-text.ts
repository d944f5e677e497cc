import type { HomeFinding } from "../../../../app/forget.ts";
import type { FilesFinding, ForgottenFiles } from "../../../../machine/forget/plan-forget.ts";
import type { ForgetWish } from "../../../../machine/forget/request.ts";
import { oneLine } from "../../../../record/visible-text.ts";
import type { Strings } from "../../../../strings/strings.ts";

type Words = Strings["forget"];

const MOST_SHOWN = 20;

/** Which files of snapshots will be erased. For a path, where else the same content is: it goes there too. */
export function filesLines(words: Words, wish: ForgetWish, files: FilesFinding): string[] {
  const labels = files.labels === 0 ? [] : [words.inLabels(files.labels)];
  if (files.contents === 0) return labels;
  const isWished = (place: string): boolean =>
    wish.what === "path" && (place === wish.path || place.startsWith(`${wish.path}/`));
  const wished = files.places.filter(isWished);
  const others = files.places.filter((place) => !isWished(place));
  return [
    words.inFiles(files.contents, files.snapshots),
    ...listed(words, wished),
    ...(wish.what === "path" && others.length > 0 ? [words.alsoAt] : []),
    ...listed(words, others),
    ...labels,
  ];
}

export function homeLines(words: Words, { typed, outputs }: HomeFinding): string[] {
  return [
    ...(typed === 0 ? [] : [words.inTyped(typed)]),
    ...(outputs === 0 ? [] : [words.inOutputs(outputs)]),
  ];
}

/** What stays as it is, because it is the user's, or cannot be searched. */
export function homeWarnings(words: Words, { others, unreadable, databases }: HomeFinding): string[] {
  return [
    ...(others.length === 0 ? [] : [words.inOthers(oneLine(few(words, others)))]),
    ...(unreadable.length === 0 ? [] : [words.unreadableInHome(oneLine(few(words, unreadable)))]),
    ...(databases.length === 0 ? [] : [words.otherDatabases(oneLine(few(words, databases)))]),
  ];
}

/** What the person has to know, because it stays. */
export function filesWarnings(words: Words, files: FilesFinding): string[] {
  return [...otherWarnings(words, files), ...nameWarnings(words, files)];
}

/** Of these, nothing is left in Worldline's own folder. */
export function otherWarnings(words: Words, { inWorkspace, unlisted }: FilesFinding): string[] {
  return [
    ...(inWorkspace.length === 0 ? [] : [words.inWorkspace(oneLine(few(words, inWorkspace)))]),
    ...(unlisted.length === 0 ? [] : [words.unlisted(few(words, unlisted))]),
  ];
}

export function nameWarnings(words: Words, { inNames, unreadable }: FilesFinding): string[] {
  return [
    ...(inNames === 0 ? [] : [words.inNames(inNames)]),
    ...(unreadable === 0 ? [] : [words.unreadableFiles(unreadable)]),
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
