import { describe, expect, it } from "vitest";
import { languageOfLocale } from "../../src/strings/language.ts";

describe("the language of a locale", () => {
  it.each([
    ["zh_CN.UTF-8", "zh-CN"],
    ["zh_CN.utf8", "zh-CN"],
    ["zh_CN", "zh-CN"],
    ["zh_SG.UTF-8", "zh-CN"],
    ["zh-Hans-CN", "zh-CN"],
    ["zh_CN.UTF-8@pinyin", "zh-CN"],
    ["zh", "zh-CN"],
    ["zh_TW.UTF-8", "en"],
    ["zh_CN.GB18030", "en"],
    ["de_DE.UTF-8", "en"],
    ["C.UTF-8", "en"],
    ["POSIX", "en"],
  ])("%s is %s", (locale, language) => {
    expect(languageOfLocale({ LANG: locale })).toBe(language);
  });

  it("is that of LC_ALL, then LC_MESSAGES, then LANG, and empty ones are passed over", () => {
    const chinese = "zh_CN.UTF-8";
    expect(languageOfLocale({ LC_ALL: "C", LC_MESSAGES: chinese, LANG: chinese })).toBe("en");
    expect(languageOfLocale({ LC_ALL: "", LC_MESSAGES: chinese, LANG: "C" })).toBe("zh-CN");
    expect(languageOfLocale({ LC_ALL: "", LC_MESSAGES: "", LANG: chinese })).toBe("zh-CN");
    expect(languageOfLocale({})).toBe("en");
  });
});
