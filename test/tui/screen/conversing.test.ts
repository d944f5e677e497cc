import { describe, expect, it } from "vitest";
import type { TurnEnd } from "../../../src/ports/agent-events.ts";
import type { Part } from "../../../src/record/parts.ts";
import { textPart } from "../../../src/record/parts.ts";
import { en } from "../../../src/strings/en.ts";
import type { Desk } from "../../../src/tui/commands/desk.ts";
import { Board } from "../../../src/tui/screen/board.ts";
import { Conversing } from "../../../src/tui/screen/conversing.ts";
import { EMPTY_VIEW } from "../../../src/tui/view/view-state.ts";

const ended: TurnEnd = {
  type: "turn-end",
  outcome: "done",
  answer: "",
  steps: 1,
  backtracks: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  milliseconds: 1,
};

/** An agent whose turns end as the test says, at a desk that writes down what is done with it. */
function seat(model: "ready" | "none" = "ready") {
  const done: string[] = [];
  const turns: ((end: TurnEnd) => void)[] = [];
  const turn = (what: string) => async (): Promise<TurnEnd> => {
    done.push(what);
    return new Promise((resolve) => turns.push(resolve));
  };
  const textOf = (content: string | readonly Part[]): string =>
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "image")).join("|");
  const station = {
    model: { state: model },
    agent: {
      session: "here",
      prompt: async (content: string | readonly Part[]) => turn(`prompt ${textOf(content)}`)(),
      queue: (content: string | readonly Part[]) => done.push(`queue ${textOf(content)}`),
      interrupt: async () => {
        done.push("interrupt");
      },
    },
    journeys: {
      rewind: async ({ number, scope }: { number: number; scope: string }) => {
        done.push(`rewind ${scope} #${number}`);
        return { prompt: [textPart("what I asked")] };
      },
    },
  };
  const desk = {
    station,
    strings: en,
    say: ({ line }: { line: string }) => done.push(`say ${line}`),
    edit: (content: string | readonly Part[]) => done.push(`edit ${textOf(content)}`),
    reload: async () => {
      done.push("reload");
    },
  } as unknown as Desk;
  const board = new Board({ ...EMPTY_VIEW, phase: "idle" }, () => undefined);
  const conversing = new Conversing({
    board,
    desk,
    now: () => 0,
    takeStep: async (step) => void done.push(`step ${step}`),
  });
  return {
    board,
    conversing,
    done,
    end: (end: Partial<TurnEnd> = {}) => turns.shift()?.({ ...ended, ...end }),
  };
}

describe("conversing", () => {
  it("queues what is said while a turn runs, and sends what was not heard when the turn is done", async () => {
    const { board, conversing, done, end } = seat();
    const turn = conversing.send("first");
    await conversing.send("second");
    expect(board.view).toMatchObject({ phase: "turn", queued: ["second"] });
    end({ unheard: [[textPart("second")]] });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    end();
    await turn;
    expect(done).toEqual(["prompt first", "queue second", "prompt second"]);
    expect(board.view).toMatchObject({ phase: "idle", queued: [], turnSince: undefined });
  });

  it("puts what was not heard back into the editor when the turn was stopped", async () => {
    const { conversing, done, end } = seat();
    const turn = conversing.send("first");
    conversing.hear({ type: "text", text: "I am" });
    await conversing.interrupt();
    end({ outcome: "interrupted", unheard: [[textPart("second")]] });
    await turn;
    expect(done).toEqual(["prompt first", "interrupt", "edit second", `say ${en.terminal.screen.unheard}`]);
  });

  it("takes the prompt back when it is stopped before anything was shown", async () => {
    const { conversing, done, end } = seat();
    const turn = conversing.send("what I asked");
    conversing.hear({ type: "entry", entry: { kind: "checkpoint", on: "prompt", number: 7 } } as never);
    await conversing.interrupt();
    end({ outcome: "interrupted" });
    await turn;
    expect(done.slice(1)).toEqual([
      "interrupt",
      "rewind conversation #7",
      "reload",
      "edit what I asked",
      `say ${en.terminal.screen.promptBack}`,
    ]);
  });

  it("says one honest line where there is no model", async () => {
    const { conversing, done } = seat("none");
    await conversing.send("hello");
    expect(done).toEqual([`say ${en.terminal.screen.withoutModel.freeText}`]);
  });
});
