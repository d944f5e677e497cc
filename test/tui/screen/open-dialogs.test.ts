import { describe, expect, it } from "vitest";
import type { Dialog } from "../../../src/tui/dialogs/dialog.ts";
import { pager } from "../../../src/tui/dialogs/pager.ts";
import { OpenDialogs } from "../../../src/tui/screen/screen-commands.ts";
import { plainLook } from "../support/plain-look.ts";

/** A dialog that collects letters until Enter; Esc cancels it. */
function word(ended: string[] = []): Dialog<string, string> {
  return {
    start: "",
    extent: "part",
    press: (state, { key }) => {
      if (key === "enter") return { answer: state };
      return key === "escape" ? { answer: undefined } : { state: state + key };
    },
    draw: (state) => [state],
    background: (tell) => ({
      onState: (state) => {
        if (state === "a") tell((now) => `${now}+`);
      },
      end: () => ended.push("ended"),
    }),
  };
}

function dialogs() {
  let now = 0;
  const room = { width: 80, rows: 24, look: plainLook() };
  const open = new OpenDialogs({ drawn: () => undefined, room: () => room, now: () => now });
  const press = (...keys: readonly string[]): void => {
    for (const key of keys) open.current?.press({ key });
  };
  const shown = () => open.current?.draw({ width: 80, rows: 24 }, plainLook());
  return { open, press, shown, at: (time: number) => (now = time) };
}

describe("open dialogs", () => {
  it("answer with the result of their keys, and can be changed by their background work", async () => {
    const ended: string[] = [];
    const { open, press, shown } = dialogs();
    const answer = open.ask(word(ended));
    press("a");
    expect(shown()).toEqual(["a+"]);
    press("b", "enter");
    expect([await answer, ended, open.current]).toEqual(["a+b", ["ended"], undefined]);
  });

  it("are shown one after the other, each from when its turn comes", async () => {
    const { open, press, shown, at } = dialogs();
    const first = open.ask(word());
    const second = open.ask(word());
    shown();
    expect(open.current?.since).toBe(0);
    press("x", "enter");
    at(500);
    expect([await first, open.current?.since]).toEqual(["x", Number.POSITIVE_INFINITY]);
    shown();
    expect(open.current?.since).toBe(500);
    press("y", "enter");
    expect(await second).toBe("y");
  });

  it("are void when the agent's question is", async () => {
    const stop = new AbortController();
    const { open } = dialogs();
    const answer = open.ask(word(), stop.signal);
    expect(open.current?.by).toBe("agent");
    stop.abort();
    expect([await answer, open.current]).toEqual([undefined, undefined]);
    expect(await open.ask(word(), stop.signal)).toBeUndefined();
  });

  it("are all closed when the user leaves", async () => {
    const { open } = dialogs();
    const both = [open.ask(word()), open.ask(word())];
    open.leaveAll();
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
  });

  it("press their keys in the room that they were drawn in, so that the end of a text is reached", () => {
    const { open, press } = dialogs();
    const lines = Array.from({ length: 69 }, (_, line) => `line ${line + 1}`);
    void open.ask(pager({ title: "Text", draw: () => lines, keys: "keys" }));
    const drawn = () => open.current?.draw({ width: 80, rows: 23 }, plainLook());
    drawn();
    press("end");
    expect(drawn()?.slice(-2)).toEqual(["line 69", "keys"]);
  });
});
