import { describe, expect, it } from "vitest";
import { en } from "../../../src/strings/en.ts";
import { Screen, type ScreenDeps } from "../../../src/tui/screen/screen.ts";
import { OpenDialogs } from "../../../src/tui/screen/screen-commands.ts";
import { readKeys } from "../../../src/tui/terminal/keys.ts";
import { EMPTY_VIEW, ViewStore } from "../../../src/tui/view/view-state.ts";
import { plainLook } from "../support/plain-look.ts";

/** A screen whose parts record their calls. */
function screen(phase: "idle" | "turn" | "leaving" = "idle") {
  const told: string[] = [];
  let now = 10_000;
  let text = "";
  let drawing = 0;
  const dialogs = new OpenDialogs({
    drawn: () => undefined,
    room: () => ({ width: 80, rows: 24, look: plainLook() }),
    now: () => now,
  });
  const store = new ViewStore({ ...EMPTY_VIEW, phase }, () => undefined);
  const parts = {
    store,
    dialogs,
    now: () => now,
    context: { strings: en, leave: () => told.push("leave"), toggle: (panel: string) => told.push(panel) },
    turns: { interrupt: async () => void told.push("interrupt") },
    editor: {
      get text() {
        return text;
      },
      wantsKey: () => false,
      press: ({ key }: { key: string }) => {
        text += key;
        told.push(`edit ${key}`);
      },
    },
    app: () => undefined,
    paint: () => undefined,
    repaint: () => told.push("repaint"),
    page: () => 20,
    hurry: () => told.push("hurry"),
  } as unknown as ScreenDeps;
  const itself = new Screen(parts);
  const type = (bytes: string): void => {
    for (const key of readKeys(bytes)) itself.press(key);
  };
  const asked = (signal?: AbortSignal): Promise<string | undefined> =>
    dialogs.ask<string, string>(
      {
        start: "",
        extent: "part",
        press: (_, { key }) => ({ answer: key }),
        draw: () => {
          now += drawing;
          return [];
        },
      },
      signal,
    );
  const wait = (milliseconds: number): number => (now += milliseconds);
  /** Drawing takes time as well. */
  const draw = (milliseconds = 0): void => {
    drawing = milliseconds;
    dialogs.current?.draw({ width: 80, rows: 24 }, plainLook());
  };
  return { type, told, store, asked, wait, draw };
}

describe("the screen", () => {
  it("does not take what was typed ahead for an answer to the agent's question", async () => {
    const { type, told, asked, wait, draw } = screen("turn");
    const answer = asked(new AbortController().signal);
    draw();
    wait(100);
    type("2");
    wait(300);
    type("1");
    expect(told).toEqual(["edit 2", "edit 1"]);
    wait(400);
    type("3");
    expect(await answer).toBe("3");
  });

  it("takes no key for an answer to a question that was not on the screen yet, however long that took", async () => {
    const { type, told, asked, wait, draw } = screen("turn");
    const answer = asked(new AbortController().signal);
    wait(5_000);
    type("1");
    wait(5_000);
    draw(5_000);
    type("1");
    wait(400);
    type("2");
    expect([await answer, told]).toEqual(["2", ["edit 1", "edit 1"]]);
  });

  it("takes keys for a user's dialog at once", async () => {
    const { type, asked } = screen();
    const answer = asked();
    type("2");
    expect(await answer).toBe("2");
  });

  it("stops the turn with Ctrl+C at the agent's question, and closes the user's own dialog with it", async () => {
    const turn = screen("turn");
    void turn.asked(new AbortController().signal);
    turn.type("\u0003");
    expect(turn.told).toEqual(["interrupt"]);
    const idle = screen();
    const answer = idle.asked();
    idle.type("\u0003");
    expect(await answer).toBe("escape");
  });

  it("reads two escapes of one chunk as two, and says after the first what the second does", () => {
    const { type, store } = screen();
    type("\u001b");
    expect(store.view.hint).toBe(en.terminal.screen.hints.rewind);
  });

  it("leaves with the second Ctrl+C, and at once with another one while it closes", () => {
    const { type, told, wait } = screen();
    type("\u0003");
    wait(1_000);
    type("\u0003");
    expect(told).toEqual(["leave"]);
    const leaving = screen("leaving");
    leaving.type("x\u0003");
    expect(leaving.told).toEqual(["hurry"]);
  });
});
