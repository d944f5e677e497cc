import { describe, expect, it } from "vitest";
import { foreignText, remark, remarkOf, WorldlineError } from "../../src/record/error.ts";
import { remarksInEnglish } from "../../src/strings/en/errors/remarks.ts";
import { en } from "../../src/strings/en.ts";
import { remarkText } from "../../src/strings/wording.ts";
import { zhCn } from "../../src/strings/zh-cn.ts";

/** All parameters that any remark needs. */
const params = {
  errno: "EIO",
  count: 5,
  paths: [{ path: "a", why: "unreadable" }],
  problem: "it broke",
  problems: ["it broke"],
  commands: ["npm test"],
  lines: 3,
  calls: ["Bash"],
  fault: "checksum",
  hash: "f".repeat(64),
  variable: "OPENAI_API_KEY",
  variables: ["OPENAI_API_KEY"],
  server: "files",
  said: "",
  tools: [],
  more: 0,
  most: 9,
  path: "state.json",
  line: 9,
  record: "blob",
  session: "k3f9",
  milliseconds: 9,
  address: "http://host",
  kind: "file",
  megabytes: 16,
  encoding: "zstd",
  status: 99,
  similar: ["a"],
  advice: "exactly",
};

describe("a remark", () => {
  it("is given in Chinese for every reason", () => {
    const untold = Object.keys(remarksInEnglish).filter((reason) => {
      const said = remarkText(zhCn, { why: "English", reason, params });
      return reason !== "several" && !/[\u4e00-\u9fff]/u.test(said);
    });
    expect(untold).toEqual([]);
  });

  it("keeps its English text next to what it was made from", () => {
    expect(remark("kept-outside")).toEqual({ why: "changed outside this session", reason: "kept-outside" });
    expect(remark("capture-gaps", { count: 4, paths: [{ path: "a b", why: "changing" }] })).toEqual({
      why: "4 paths could not be captured: a b (changing), …",
      reason: "capture-gaps",
      params: { count: 4, paths: [{ path: "a b", why: "changing" }] },
    });
  });

  it("is in the reader's language, including errors that it is about", () => {
    const {
      why,
      reason,
      params: known,
    } = remark("backtrack-files-not-restored", {
      problem: { reason: "files-off", params: {} },
    });
    expect(why).toBe(`The files could not be restored. ${new WorldlineError("files-off", {}).message}`);
    const inChinese = remarkText(zhCn, { why, reason, params: known });
    expect(inChinese).not.toMatch(/files|back/u);
    expect(remarkText(en, { why, reason, params: known })).toBe(why);
  });

  it("is shown as it was written where its reason is not known here, or it has none", () => {
    expect(remarkText(zhCn, { why: "EACCES: permission denied" })).toBe("EACCES: permission denied");
    expect(remarkText(zhCn, { why: "new words", reason: "from-a-later-version", params: {} })).toBe(
      "new words",
    );
    expect(remarkText(zhCn, { why: "old words", reason: "capture-gaps", params: {} })).toBe("old words");
  });

  it("is about another program's text only if that is marked as such", () => {
    expect(remark("capture-in-part", { problem: foreignText("EIO") }).why).toContain(": EIO");
    // @ts-expect-error A text of our own would never be translated.
    remark("capture-in-part", { problem: "the disk broke" });
  });

  it("names the program that a killed run left running, in the reader's language", () => {
    const left = remark("left-running", { commands: ["npm test"], program: "Claude Code" });
    expect(left.why).toMatch(/: Claude Code and everything that it started; npm test$/u);
    expect(remarkText(zhCn, left)).toMatch(/：Claude Code 及其启动的进程；npm test$/u);
  });

  it("of an error has the error's reason; of anything else, its words", () => {
    expect(remarkOf(new WorldlineError("session-closed", {}))).toEqual({
      why: "This session was closed.",
      reason: "session-closed",
      params: {},
    });
    expect(remarkOf(new Error("it broke"))).toEqual({ why: "it broke" });
  });
});
