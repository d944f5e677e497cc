import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { because, type PathReason } from "../../src/record/path-reason.ts";
import { pathWhy } from "../../src/strings/errors/wording.ts";
import { stringsFor } from "../../src/strings/strings.ts";

const english = stringsFor("en");
const chinese = await stringsFor("zh-CN");
const DENIED: PathReason = { code: "errno", errno: "EACCES" };
const MISSING: PathReason = {
  code: "error",
  reason: "object-missing",
  params: { kind: "content", hash: "0a" },
};

describe("why a path was kept or failed", () => {
  it("is written down in English, each reason after the other", () => {
    expect(because({ code: "link-came-apart" }, { code: "mode-not-returned", by: DENIED })).toEqual({
      why: "a hard link came apart; it did not get its mode back: permission denied (EACCES)",
      reasons: [{ code: "link-came-apart" }, { code: "mode-not-returned", by: DENIED }],
    });
    expect(because(MISSING).why).toBe("The content 0a is not in the snapshot store.");
    expect(because({ code: "errno", errno: "EDOM" }).why).toBe("EDOM");
  });

  it("is shown in the reader's language", () => {
    const told = because({ code: "kept-aside", path: "a.old" }, { code: "not-durable", by: DENIED });
    expect(pathWhy(english, told)).toBe(told.why);
    expect(pathWhy(chinese, told)).toBe(
      "原有内容在恢复期间被改动，已保留为 a.old；无法确保写入磁盘：没有权限（EACCES）",
    );
  });

  it("is shown as it was written down where a log has no reasons, or one that is not known here", () => {
    const newer = [{ code: "of-a-newer-version" }] as unknown as readonly PathReason[];
    const within = [{ code: "not-durable", by: newer[0] }] as unknown as readonly PathReason[];
    const error = [{ code: "error", reason: "of-a-newer-version", params: {} }] as const;
    for (const reasons of [undefined, newer, within, error])
      expect(pathWhy(chinese, { why: "as it was", reasons })).toBe("as it was");
  });

  it("has every code in the description of the format", () => {
    const format = readFileSync(new URL("../../docs/format.md", import.meta.url), "utf8");
    const { plain, because: about } = english.pathReasons;
    const codes = [...Object.keys(plain), ...Object.keys(about), "kept-aside", "errno", "error"];
    expect(codes.filter((code) => !format.includes(`\`${code}\``))).toEqual([]);
  });
});
