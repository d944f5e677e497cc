import { en } from "./en.ts";
import type { Language } from "./language.ts";

/** Every catalogue has exactly the same strings as the English one. A missing string is a compile error. */
export type Strings = typeof en;

export function stringsFor(language: "en"): Strings;
export function stringsFor(language: Language): Strings | Promise<Strings>;
/** English is always loaded. Another language is imported only if it is used. */
export function stringsFor(language: Language): Strings | Promise<Strings> {
  return language === "en" ? en : import("./zh-cn.ts").then(({ zhCn }) => zhCn);
}
