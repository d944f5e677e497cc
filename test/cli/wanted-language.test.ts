import { describe, expect, it } from "vitest";
import { wantedLanguage } from "../../src/cli/frame.ts";
import { playground } from "./support/command-line.ts";

const CHINESE = { LANG: "zh_CN.UTF-8" };

describe("the wanted language", () => {
  const wanted = async (given: {
    readonly words?: readonly string[];
    readonly environment?: Record<string, string>;
    readonly file?: string;
  }) => {
    const { home, write } = playground();
    if (given.file !== undefined) write("user", given.file);
    return wantedLanguage(given.words ?? [], { WORLDLINE_HOME: home, ...given.environment });
  };

  it("is English by default", async () => {
    expect(await wanted({})).toBe("en");
  });

  it("is the locale's", async () => {
    expect(await wanted({ environment: CHINESE })).toBe("zh-CN");
  });

  it("is the user's file's before the locale's", async () => {
    expect(await wanted({ file: '{ /* mine */ "language": "zh-CN", }' })).toBe("zh-CN");
    expect(await wanted({ file: '{ "language": "en" }', environment: CHINESE })).toBe("en");
    expect(await wanted({ file: '{ "language": "auto" }', environment: CHINESE })).toBe("zh-CN");
  });

  it("is the variable's before the file's", async () => {
    const file = '{ "language": "en" }';
    expect(await wanted({ file, environment: { WORLDLINE_LANGUAGE: "zh-CN" } })).toBe("zh-CN");
    expect(await wanted({ file, environment: { ...CHINESE, WORLDLINE_LANGUAGE: "auto" } })).toBe("zh-CN");
  });

  it("is the flag's before all, the last one's of several", async () => {
    const environment = { WORLDLINE_LANGUAGE: "en" };
    expect(await wanted({ words: ["tree", "--setting", "language=zh-CN"], environment })).toBe("zh-CN");
    expect(await wanted({ words: ["--setting=language=en", "--setting=language=zh-CN"] })).toBe("zh-CN");
    expect(await wanted({ words: ["run", "--", "x", "--setting", "language=zh-CN"] })).toBe("en");
  });

  it("skips what is not a language, or cannot be read", async () => {
    expect(await wanted({ environment: { ...CHINESE, WORLDLINE_LANGUAGE: "klingon" } })).toBe("zh-CN");
    expect(await wanted({ file: '{ "language": 3 }', environment: CHINESE })).toBe("zh-CN");
    expect(await wanted({ file: "{ broken", environment: CHINESE })).toBe("zh-CN");
  });
});

describe("the command line in Chinese", () => {
  it("answers in it", async () => {
    const { worldline } = playground();
    expect(await worldline("sessions list", { environment: CHINESE })).toEqual({
      code: 0,
      stdout: "没有会话。\n",
      stderr: "",
    });
  });

  it("says an error, and what to do, in it", async () => {
    const { worldline } = playground();
    expect(await worldline("config set lock.waitMS 7", { environment: CHINESE })).toEqual({
      code: 42,
      stdout: "",
      stderr: "错误：没有“lock.waitMS”这个设置。\n建议：是否想写 lock.waitMs？\n",
    });
  });

  it("leaves JSON in English", async () => {
    const { worldline } = playground();
    const environment = { ...CHINESE, WORLDLINE_LANGUAGE: "zh-CN" };
    for (const line of ["doctor --json", "tree --json --session k3f9"]) {
      const { stdout } = await worldline(line, { environment });
      expect(stdout, line).not.toMatch(/\p{Script=Han}/u);
    }
  });
});
