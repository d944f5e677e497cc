import { describe, expect, it } from "vitest";
import { headingLines, isFirstScreen } from "../../../src/tui/view/conversation.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/view/view-state.ts";
import { plainLook } from "../support/plain-look.ts";

const look = plainLook();
const ready: ViewState = {
  ...EMPTY_VIEW,
  phase: "idle",
  home: "/home/me",
  workspace: "/home/me/shop",
  model: { state: "ready", name: "a/b", window: 1 },
};
const none: ViewState = {
  ...ready,
  model: { state: "none", lookedFor: { variables: ["A_KEY"], setting: "" } },
};

describe("the heading", () => {
  it("says where the user is, with the home folder as ~", () => {
    expect(headingLines(ready, { width: 40, rows: 9 }, look)).toEqual(["Worldline ~/shop", ""]);
  });

  it("says whose agent it is, where it is not ours", () => {
    const hosted = { ...ready, host: "claude" };
    expect(headingLines(hosted, { width: 40, rows: 9 }, look)).toEqual([
      "Worldline ~/shop · host claude",
      "",
    ]);
  });

  it("takes no more rows than there are, and none if there are none", () => {
    for (let rows = 0; rows < 30; rows += 1) {
      for (const view of [ready, none]) {
        expect(headingLines(view, { width: 40, rows }, look).length).toBeLessThanOrEqual(rows);
      }
    }
  });

  it("says without a model what was looked for and what can be done; on a small screen what can be done", () => {
    const whole = headingLines(none, { width: 80, rows: 24 }, look).join("\n");
    expect(whole).toContain('Checked: the environment (A_KEY), the "model" setting');
    expect(whole).toContain("5  connect a model");
    const small = headingLines(none, { width: 40, rows: 12 }, look).join("\n");
    expect(small).not.toContain("A_KEY");
    expect(small).toContain("5  connect a model");
  });
});

describe("the first screen", () => {
  it("is shown without a model, as long as the conversation is empty", () => {
    expect([isFirstScreen(none), isFirstScreen(ready)]).toEqual([true, false]);
    expect(isFirstScreen({ ...none, transcript: { ...none.transcript, earlier: "yes" } })).toBe(false);
  });
});
