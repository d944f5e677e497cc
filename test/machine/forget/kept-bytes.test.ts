import { describe, expect, it } from "vitest";
import { keepValue, restoreValue } from "../../../src/executions/values/values.ts";
import { eraseFromBytes, TextForms } from "../../../src/machine/forget/text-forms.ts";

const SECRET = "hunter2-secret";

function kept(value: unknown): string {
  return (keepValue(value, "state") as { readonly $value: string }).$value;
}

describe("forgetting in the bytes of a program", () => {
  it("finds it wherever it begins, and leaves all else where it is", () => {
    for (const before of ["", "a", "ab", "abc"]) {
      const text = kept({ key: Buffer.from(`${before}${SECRET}!${SECRET}.`), odd: new Float64Array([1, 2]) });
      const { erased, times } = eraseFromBytes(text, new TextForms(SECRET));
      const zeros = "\0".repeat(SECRET.length);
      expect(times).toBe(2);
      expect(restoreValue({ $value: erased })).toEqual({
        key: Buffer.from(`${before}${zeros}!${zeros}.`),
        odd: new Float64Array([1, 2]),
      });
    }
  });

  it("touches nothing else", () => {
    const text = kept({ key: Buffer.from("public"), word: "abcd" });
    expect(eraseFromBytes(text, new TextForms(SECRET))).toEqual({ erased: text, times: 0 });
  });
});
