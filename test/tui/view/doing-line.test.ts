import { describe, expect, it } from "vitest";
import { doingLine } from "../../../src/tui/view/draw-screen.ts";
import { EMPTY_VIEW, type ViewState } from "../../../src/tui/view/view-state.ts";
import { plainLook } from "../support/plain-look.ts";

const look = plainLook(undefined, 125_000);
const turn: ViewState = { ...EMPTY_VIEW, phase: "turn", turnSince: 1_000 };
const line = (view: ViewState): string | undefined => doingLine(view, 80, look)?.replace(/^\S+ /u, "");

describe("the line that moves", () => {
  it("is not there while nothing happens", () => {
    expect(line({ ...EMPTY_VIEW, phase: "idle" })).toBeUndefined();
  });

  it("says what is done, and for how long", () => {
    const doing = { what: "tool", call: "1", name: "Bash", about: "npm test\n-- --all" } as const;
    expect(line({ ...turn, doing: { doing, since: 120_000 } })).toBe(
      "Bash npm test -- --all (5 s · Esc stops)",
    );
    expect(line(turn)).toBe("Working (2 min 4 s · Esc stops)");
  });

  it("names the key that continues without the first capture", () => {
    const doing = { what: "waiting-for-capture", files: 10, ofFiles: 400 } as const;
    expect(line({ ...turn, doing: { doing, since: 124_000 } })).toBe(
      "Waiting for the first capture (10 of 400) · Ctrl+P skip (1 s · Esc stops)",
    );
  });

  it("says what a command waits for, with its progress", () => {
    const waiting = { what: "Restoring", since: 124_500, progress: "3/9", how: "cancellable" } as const;
    expect(line({ ...EMPTY_VIEW, phase: "idle", waiting })).toBe("Restoring 3/9 (0 s · Esc stops)");
  });

  it("cuts what is done, and never the time and the key", () => {
    const doing = { what: "tool", call: "1", name: "Bash", about: "x".repeat(200) } as const;
    const drawn = doingLine({ ...turn, doing: { doing, since: 120_000 } }, 40, look);
    expect(drawn).toMatch(/^\S Bash x+… \(5 s · Esc stops\)$/u);
  });

  it("says where in the workspace a file is", () => {
    const doing = { what: "tool", call: "1", name: "Edit", about: "/home/ada/shop/src/a.ts" } as const;
    const view = { ...turn, workspace: "/home/ada/shop", doing: { doing, since: 120_000 } };
    expect(line(view)).toBe("Edit src/a.ts (5 s · Esc stops)");
  });

  it("names Ctrl+C while a question is open, which Esc would only leave", () => {
    const doing = { what: "asking", call: "1" } as const;
    expect(line({ ...turn, doing: { doing, since: 120_000 } })).toBe(
      "Waiting for your answer (5 s · Ctrl+C stops)",
    );
  });

  it("lets no title command the terminal", () => {
    const waiting = { what: "Opening a\u001b[8mb\nc", since: 124_500, how: "uncancellable" } as const;
    expect(line({ ...EMPTY_VIEW, phase: "idle", waiting })).toBe("Opening ab c (0 s)");
  });
});
