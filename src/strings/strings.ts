import { en } from "./en.ts";
import type { Language } from "./language.ts";

/** Every catalogue has exactly the English one's strings: one that is missing does not compile. */
export type Strings = typeof en;

export function stringsFor(language: "en"): Strings;
export function stringsFor(language: Language): Strings | Promise<Strings>;
/** English is there at once; whoever does not want another language does not pay for it. */
export function stringsFor(language: Language): Strings | Promise<Strings> {
  return language === "en" ? en : import("./zh-cn.ts").then(({ zhCn }) => zhCn);
}
