import { describe, expect, it } from "vitest";
import type { Doing, SessionOpened } from "../../../src/ports/agent-events.ts";
import { sessionNumber } from "../../../src/testing/story.ts";
import { applyEventToView, EMPTY_VIEW, type ViewState } from "../../../src/tui/view/view-state.ts";

const capturing: Doing = { what: "capturing", files: 3, ofFiles: 9 };

function told(...doings: readonly Doing[]): ViewState["doing"] {
  return doings.reduce<ViewState>(
    (view, doing, at) => applyEventToView(view, { type: "doing", doing }, at),
    EMPTY_VIEW,
  ).doing;
}

describe("a session that is opened", () => {
  const opened: SessionOpened = {
    type: "session",
    version: 1,
    session: sessionNumber(1),
    workspace: "/home/ada/shop",
    resumed: "new",
    model: "claude-x",
    window: 200_000,
    mode: "auto",
    tools: [],
  };

  it("says whose agent it is, and one of ours that it is ours again", () => {
    const hosted = applyEventToView(EMPTY_VIEW, { ...opened, host: "claude" }, 0);
    expect(hosted).toEqual({ ...EMPTY_VIEW, workspace: "/home/ada/shop", mode: "auto", host: "claude" });
    expect(applyEventToView(hosted, opened, 0).host).toBeUndefined();
  });
});

describe("what is going on", () => {
  it("stays what the agent is doing while files are captured", () => {
    const thinking: Doing = { what: "thinking", step: 2 };
    const tool: Doing = { what: "tool", call: "a", name: "Bash", about: "npm test" };
    expect(told(thinking, capturing)).toEqual({ doing: thinking, since: 0 });
    expect(told(capturing, tool, capturing)).toEqual({ doing: tool, since: 1 });
  });

  it("is the capture where nothing else is, and gives way to anything", () => {
    expect(told(capturing, { ...capturing, files: 5 })).toEqual({
      doing: { ...capturing, files: 5 },
      since: 0,
    });
    expect(told({ what: "waiting-for-capture", files: 1, ofFiles: 9 }, capturing)?.doing).toEqual(capturing);
    expect(told({ what: "thinking", step: 1 }, { what: "nothing" }, capturing)?.doing).toEqual(capturing);
    expect(told(capturing, { what: "nothing" })).toBeUndefined();
  });
});
