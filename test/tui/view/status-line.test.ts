import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import type { TimelineState } from "../../../src/app/queries/query-types.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { statusLine } from "../../../src/tui/view/draw-screen.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/view/view-state.ts";
import { plainLook } from "../support/plain-look.ts";

const timeline: TimelineState = {
  checkpoint: 12,
  contextTokens: 82_000,
  branchesLeft: 2,
  leftByBacktracks: 1,
  gitBranch: "main",
  savedTokens: 19_331,
  cost: 0.1234,
  snapshots: { state: "on" },
  redoable: 1,
};
const view: ViewState = {
  ...EMPTY_VIEW,
  phase: "idle",
  mode: "accept-edits",
  model: { state: "ready", name: "anthropic/claude-x", window: 200_000 },
  timeline,
};

describe("the status line", () => {
  it("says all there is to say where there is room", () => {
    expect(statusLine(view, 160, plainLook())).toBe(
      "anthropic/claude-x · accept edits · 41% context · $0.123 · #12 · main · 2 other branches · 19k tokens saved by backtracks · files captured",
    );
  });

  it("names the host next to the model if it is not ours", () => {
    expect(statusLine({ ...view, host: "claude" }, 70, plainLook())).toBe(
      "anthropic/claude-x · host claude · accept edits · 41% context · #12",
    );
  });

  it("leaves out what matters least, and never the mode", () => {
    expect(statusLine(view, 60, plainLook())).toBe(
      "anthropic/claude-x · accept edits · 41% context · #12 · main",
    );
    expect(statusLine(view, 40, plainLook())).toBe("accept edits · 41% context · #12 · main");
  });

  it("keeps files that were not captured on a narrow screen", () => {
    const failed: ViewState = {
      ...view,
      timeline: { ...timeline, snapshots: { state: "failed", why: "disk full" } },
    };
    expect(statusLine(failed, 40, plainLook())).toBe("accept edits · #12 · files not captured");
  });

  it("fits every width, in Chinese too", () => {
    for (let width = 20; width <= 160; width += 1) {
      expect(visibleWidth(statusLine(view, width, plainLook(zhCn)))).toBeLessThanOrEqual(width);
    }
    expect(statusLine(view, 60, plainLook(zhCn))).toContain("上下文 41%");
  });

  it("says that there is no model", () => {
    const none: ViewState = { ...view, model: { state: "none", lookedFor: { variables: [], setting: "" } } };
    expect(statusLine(none, 60, plainLook())).toBe("no model · accept edits · $0.123 · #12 · files captured");
  });

  it("keeps the git branch if there is no room for how many were left", () => {
    expect(statusLine(view, 100, plainLook())).toBe(
      "anthropic/claude-x · accept edits · 41% context · $0.123 · #12 · main · 19k saved · files captured",
    );
  });

  it("names no checkpoint before there is one", () => {
    const fresh: ViewState = { ...view, timeline: { ...timeline, checkpoint: 0 } };
    expect(statusLine(fresh, 160, plainLook())).not.toContain("#");
  });

  it("lets no name command the terminal", () => {
    const foreign: ViewState = {
      ...view,
      model: { state: "ready", name: "a\u001b[8mb", window: 200_000 },
      timeline: { ...timeline, gitBranch: "c\u001b]8;;x\u0007d\u001b_pi:c\u0007" },
    };
    expect(statusLine(foreign, 160, plainLook())).toMatch(/^ab · .* · cd · /u);
  });
});
