import { describe, expect, it } from "vitest";
import { TurnGate } from "../../../src/agent/agent-context.ts";
import type { TurnEnd } from "../../../src/ports/agent-events.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { type Part, textPart } from "../../../src/record/parts.ts";
import { en } from "../../../src/strings/en.ts";
import type { CommandContext } from "../../../src/tui/flows/command-context.ts";
import { TurnController } from "../../../src/tui/screen/turn-controller.ts";
import { applyEventToView, EMPTY_VIEW, ViewStore } from "../../../src/tui/view/view-state.ts";

const ended: TurnEnd = {
  type: "turn-end",
  outcome: "done",
  answer: "",
  steps: 1,
  backtracks: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  milliseconds: 1,
};

const RETURNED = en.terminal.screen.queueReturned;

/** An agent whose turns end when the test ends them, and a context that records what the controller does with it. */
function controllerStage(model: "ready" | "none" = "ready", rewinds: "made" | "refused" = "made") {
  const done: string[] = [];
  const gate = new TurnGate();
  const queued: (() => void)[] = [];
  const turns: { resolve: (end: TurnEnd) => void; reject: (error: Error) => void }[] = [];
  const turn = async (busy: "turn" | "command", what: string): Promise<TurnEnd> => {
    done.push(what);
    const isFree = gate.busy === "nothing";
    const ended = new Promise<TurnEnd>((resolve, reject) => isFree && turns.push({ resolve, reject }));
    return gate.run(busy, async () => ended);
  };
  const textOf = (content: string | readonly Part[]): string =>
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "image")).join("|");
  const app = {
    model: { state: model },
    agent: {
      session: "here",
      get busy() {
        return gate.busy;
      },
      prompt: async (content: string | readonly Part[]) => turn("turn", `prompt ${textOf(content)}`),
      run: async (command: string) => turn("command", `run ${command}`),
      queue: (content: string | readonly Part[], onWritten: () => void) => {
        done.push(`queue ${textOf(content)}`);
        queued.push(onWritten);
      },
      interrupt: async () => {
        done.push("interrupt");
      },
    },
    journeys: {
      rewind: async ({ number, scope }: { number: number; scope: string }) => {
        if (rewinds === "refused")
          throw new WorldlineError("stated", { code: "TURN_RUNNING", message: "A turn is running." });
        done.push(`rewind ${scope} #${number}`);
        return { prompt: [textPart("what I asked")] };
      },
    },
  };
  const context = {
    app,
    strings: en,
    say: ({ line }: { line: string }) => done.push(`say ${line}`),
    returnToEditor: (inputs: readonly (readonly Part[])[]) =>
      done.push(`give back ${inputs.map(textOf).join(" + ")}`),
    reload: async () => {
      done.push("reload");
    },
  } as unknown as CommandContext;
  const store = new ViewStore({ ...EMPTY_VIEW, phase: "idle" }, () => undefined);
  const controller = new TurnController({
    store,
    context,
    takeStep: async (step) => void done.push(`step ${step}`),
  });
  gate.on((busy) => {
    store.update((view) => applyEventToView(view, { type: "busy", busy }, 0));
    controller.apply({ type: "busy", busy });
  });
  return {
    store,
    controller,
    done,
    gate,
    /** Makes the agent log the oldest prompt that it got during the turn. */
    written: () => queued.shift()?.(),
    end: (end: Partial<TurnEnd> = {}) => turns.shift()?.resolve({ ...ended, ...end }),
    lose: () =>
      turns
        .shift()
        ?.reject(new WorldlineError("stated", { code: "SESSION_CLOSED", message: "The session is closed." })),
  };
}

describe("turns", () => {
  it("queues inputs while a turn runs, and sends the rest when the turn is done", async () => {
    const { store, controller, done, end } = controllerStage();
    const turn = controller.send("first");
    await controller.send("second");
    expect(store.view).toMatchObject({ phase: "turn", queued: ["second"] });
    end({ unheard: [[textPart("second")]] });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    end();
    await turn;
    expect(done).toEqual(["prompt first", "queue second", "prompt second"]);
    expect(store.view).toMatchObject({ phase: "idle", queued: [], turnSince: undefined });
  });

  it("puts what was not sent back into the editor when the turn was stopped", async () => {
    const { controller, done, end } = controllerStage();
    const turn = controller.send("first");
    controller.apply({ type: "text", text: "I am" });
    await controller.send("second");
    await controller.interrupt();
    end({ outcome: "interrupted", unheard: [[textPart("second")]] });
    await turn;
    expect(done.slice(2)).toEqual(["interrupt", "give back second", `say ${RETURNED}`]);
  });

  it("returns all queued inputs in their order, whether the agent had them or not", async () => {
    const { store, controller, done, end, written } = controllerStage();
    const turn = controller.send("first");
    controller.apply({ type: "text", text: "I am" });
    for (const text of ["heard", "one"]) await controller.send(text);
    await controller.run("two", "model");
    await controller.send("three");
    written();
    expect(store.view.queued).toEqual(["one", "!two", "three"]);
    await controller.interrupt();
    end({ outcome: "interrupted", unheard: [[textPart("one")], [textPart("three")]] });
    await turn;
    expect(done.slice(-2)).toEqual(["give back one + !two + three", `say ${RETURNED}`]);
    expect(store.view.queued).toEqual([]);
  });

  it.each(["failed", "step-limit", "interrupted"] as const)(
    "runs nothing of the queue after a turn that ended as %s",
    async (outcome) => {
      const { controller, done, end } = controllerStage();
      const turn = controller.send("first");
      controller.apply({ type: "text", text: "I am" });
      await controller.run("two", "user-only");
      end({ outcome });
      await turn;
      expect(done.filter((what) => what.startsWith("run"))).toEqual([]);
      expect(done).toContain("give back !!two");
    },
  );

  it("starts nothing if the turn had ended before it could be stopped", async () => {
    const { controller, done, end } = controllerStage();
    const turn = controller.send("first");
    controller.apply({ type: "text", text: "I am" });
    await controller.send("second");
    await controller.interrupt();
    end({ unheard: [[textPart("second")]] });
    await turn;
    expect(done.slice(-2)).toEqual(["give back second", `say ${RETURNED}`]);
  });

  it("removes a prompt from the queue when the agent has logged it, and no other one with the same text", async () => {
    const { store, controller, end, written } = controllerStage();
    const turn = controller.send("go on");
    await controller.send("go on");
    await controller.send("go on");
    expect(store.view.queued).toEqual(["go on", "go on"]);
    written();
    expect(store.view.queued).toEqual(["go on"]);
    written();
    expect(store.view.queued).toEqual([]);
    end();
    await turn;
  });

  it("returns the prompt and the queue if the agent is lost", async () => {
    const { controller, done, lose } = controllerStage();
    const turn = controller.send("first");
    await controller.send("second");
    await controller.run("three", "model");
    lose();
    await turn;
    expect(done).toContain("give back first + second + !three");
  });

  it("returns the queue even if the prompt cannot be taken back", async () => {
    const { controller, done, end } = controllerStage("ready", "refused");
    const turn = controller.send("what I asked");
    controller.apply({ type: "entry", entry: { kind: "checkpoint", on: "prompt", number: 7 } } as never);
    await controller.send("second");
    await controller.interrupt();
    end({ outcome: "interrupted", unheard: [[textPart("second")]] });
    await turn;
    expect(done).toContain("give back second");
  });

  it("takes the prompt back when it is stopped before anything was shown", async () => {
    const { controller, done, end } = controllerStage();
    const turn = controller.send("what I asked");
    controller.apply({ type: "entry", entry: { kind: "checkpoint", on: "prompt", number: 7 } } as never);
    await controller.interrupt();
    end({ outcome: "interrupted" });
    await turn;
    expect(done.slice(1)).toEqual([
      "interrupt",
      "rewind conversation #7",
      "reload",
      "give back what I asked",
      `say ${en.terminal.screen.promptBack}`,
    ]);
  });

  it("returns a prompt while a journey holds the session, and shows no turn", async () => {
    const { store, controller, done, end, gate } = controllerStage();
    let release = (): void => undefined;
    const journey = gate.hold(async () => new Promise<void>((resolve) => (release = resolve)));
    await Promise.resolve();
    expect(store.view.phase).toBe("idle");
    await controller.send("too early");
    expect(done).toContain("give back too early");
    release();
    await journey;
    const turn = controller.send("now");
    expect(store.view.phase).toBe("turn");
    end();
    await turn;
    expect(store.view.phase).toBe("idle");
  });

  it("shows one honest line if there is no model", async () => {
    const { controller, done } = controllerStage("none");
    await controller.send("hello");
    expect(done).toEqual([`say ${en.terminal.screen.withoutModel.freeText}`]);
  });
});
