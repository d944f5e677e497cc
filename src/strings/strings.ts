import { en } from "./en.ts";

/** Every catalogue has exactly the English one's strings: one that is missing does not compile. */
export type Strings = typeof en;

export type Language = "en";

const catalogues: Readonly<Record<Language, Strings>> = { en };

export function stringsFor(language: Language): Strings {
  return catalogues[language];
}
