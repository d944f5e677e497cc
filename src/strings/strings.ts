import { en } from "./en.ts";

export const languages = ["en", "zh-CN"] as const;

export type Language = (typeof languages)[number];

/** What the system says about the person's language; the first of these that is not empty counts, as POSIX has it. */
const VARIABLES = ["LC_ALL", "LC_MESSAGES", "LANG"] as const;

/** The language of the system's locale. English where it is none of ours. */
export function languageOfLocale(environment: Readonly<Record<string, string | undefined>>): Language {
  const locale = VARIABLES.map((name) => environment[name]).find(
    (value) => value !== undefined && value !== "",
  );
  const { language, charset } =
    /^(?<language>[^.@]*)(?:\.(?<charset>[^@]*))?/u.exec(locale ?? "")?.groups ?? {};
  // We write UTF-8, which a terminal of another character set would show as noise.
  const isReadable = charset === undefined || /^utf-?8$/iu.test(charset);
  // Traditional Chinese is another script, and English is no worse a guess for who reads that.
  const isSimplified = /^zh(?:[-_](?:hans(?:[-_].*)?|cn|sg|my))?$/iu.test(language ?? "");
  return isSimplified && isReadable ? "zh-CN" : "en";
}

/** Every catalogue has exactly the English one's strings: one that is missing does not compile. */
export type Strings = typeof en;

export function stringsFor(language: "en"): Strings;
export function stringsFor(language: Language): Strings | Promise<Strings>;
/** English is there at once; whoever does not want another language does not pay for it. */
export function stringsFor(language: Language): Strings | Promise<Strings> {
  return language === "en" ? en : import("./zh-cn.ts").then(({ zhCn }) => zhCn);
}
