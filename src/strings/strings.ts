import { en } from "./en.ts";

export const languages = ["en", "zh-CN"] as const;

export type Language = (typeof languages)[number];

/** The variables of the system's locale; as in POSIX, the first one that is not empty counts. */
const VARIABLES = ["LC_ALL", "LC_MESSAGES", "LANG"] as const;

/** The language of the system's locale, or English if that is not available. */
export function languageOfLocale(environment: Readonly<Record<string, string | undefined>>): Language {
  const locale = VARIABLES.map((name) => environment[name]).find(
    (value) => value !== undefined && value !== "",
  );
  const { language, charset } =
    /^(?<language>[^.@]*)(?:\.(?<charset>[^@]*))?/u.exec(locale ?? "")?.groups ?? {};
  // We write UTF-8, which a terminal with another character set would show as garbage.
  const isReadable = charset === undefined || /^utf-?8$/iu.test(charset);
  // Traditional Chinese is another script; for its readers, English is as good a guess as Simplified Chinese.
  const isSimplified = /^zh(?:[-_](?:hans(?:[-_].*)?|cn|sg|my))?$/iu.test(language ?? "");
  return isSimplified && isReadable ? "zh-CN" : "en";
}

/** Every catalogue has exactly the English one's strings: one that is missing does not compile. */
export type Strings = typeof en;

export function stringsFor(language: "en"): Strings;
export function stringsFor(language: Language): Strings | Promise<Strings>;
/** English is available at once; another language is loaded only if it is needed. */
export function stringsFor(language: Language): Strings | Promise<Strings> {
  return language === "en" ? en : import("./zh-cn.ts").then(({ zhCn }) => zhCn);
}
