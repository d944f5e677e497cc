// This file is separate from the catalogues, because the program needs the language before it loads a catalogue.

export const languages = ["en", "zh-CN"] as const;

export type Language = (typeof languages)[number];

/** The environment variables that name the user's language. As in POSIX, the first non-empty one is used. */
const VARIABLES = ["LC_ALL", "LC_MESSAGES", "LANG"] as const;

/** Returns the language of the system's locale, or English if there is no catalogue for it. */
export function languageOfLocale(environment: Readonly<Record<string, string | undefined>>): Language {
  const locale = VARIABLES.map((name) => environment[name]).find(
    (value) => value !== undefined && value !== "",
  );
  const { language, charset } =
    /^(?<language>[^.@]*)(?:\.(?<charset>[^@]*))?/u.exec(locale ?? "")?.groups ?? {};
  // The output is UTF-8, which a terminal with another character set could not show.
  const isReadable = charset === undefined || /^utf-?8$/iu.test(charset);
  // Traditional Chinese is written differently, so its readers get English instead.
  const isSimplified = /^zh(?:[-_](?:hans(?:[-_].*)?|cn|sg|my))?$/iu.test(language ?? "");
  return isSimplified && isReadable ? "zh-CN" : "en";
}
