import type { AskedDenial } from "../../../src/app/agent/headless-user.ts";
import { defineCommand } from "../../../src/cli/command.ts";
import { agentOptions, readAgentOptions } from "../../../src/cli/commands/agent/agent.ts";
import { printPerson } from "../../../src/cli/commands/agent/print-person.ts";
import { printTurn } from "../../../src/cli/commands/agent/print-turn.ts";
import type { Agent } from "../../../src/ports/agent.ts";
import type { AgentEvent, TurnEnd } from "../../../src/ports/agent-events.ts";
import type { Person } from "../../../src/ports/person.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import type { Recap } from "../../../src/timeline/recap.ts";

export const session = "k3f9x2m7q1" as SessionId;

export const opened: AgentEvent = {
  type: "session",
  version: 1,
  session,
  workspace: "/w",
  resumed: "new",
  model: "scripted/one",
  window: 200_000,
  mode: "manual",
  tools: ["Bash"],
};

export function turnEnd(fields: Partial<TurnEnd> = {}): TurnEnd {
  return {
    type: "turn-end",
    outcome: "done",
    answer: "It is fixed.",
    steps: 2,
    backtracks: 0,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    milliseconds: 7,
    ...fields,
  };
}

type Play = (stage: {
  readonly tell: (event: AgentEvent) => void;
  readonly person: Person;
  /** Resolves when the agent is interrupted. */
  readonly interrupted: Promise<void>;
}) => Promise<TurnEnd>;

/** An agent that plays a scripted turn behind the real `Agent` interface. */
class PlayedAgent implements Agent {
  readonly session = session;
  readonly workspace = "/w";
  readonly model = "scripted/one";
  readonly mode = "manual" as const;
  readonly busy = "nothing" as const;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #play: () => Promise<TurnEnd>;
  readonly #interrupt: () => void;
  closed = 0;

  constructor(play: Play, person: Person) {
    let interrupt = () => {};
    const interrupted = new Promise<void>((resolve) => {
      interrupt = resolve;
    });
    this.#interrupt = interrupt;
    const tell = (event: AgentEvent) => {
      for (const listener of this.#listeners) listener(event);
    };
    this.#play = () => play({ tell, person, interrupted });
  }

  on(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  prompt(): Promise<TurnEnd> {
    return this.#play();
  }
  queue(): void {}
  resume(): Promise<TurnEnd> {
    return this.#play();
  }
  async interrupt(): Promise<void> {
    this.#interrupt();
  }
  compact(): Promise<never> {
    return Promise.reject(new Error("is not played"));
  }
  setMode(): void {}
  async setModel(): Promise<void> {}
  run(): Promise<never> {
    return Promise.reject(new Error("is not played"));
  }
  skipCaptureWait(): void {}
  async close(): Promise<void> {
    this.closed += 1;
  }
}

/** A command that prints the turn of `play` the way `worldline -p` does, with all of its options. */
export function playing(
  play: Play,
  display: "card" | "line" | "off" = "card",
  close: () => Promise<void> = async () => undefined,
) {
  const agents: PlayedAgent[] = [];
  const entry = {
    name: "play",
    summary: () => "plays",
    load: async () =>
      defineCommand({
        options: agentOptions,
        help: (help) => ({ ...help.agent, examples: { "worldline play": "plays" } }),
        run: async ({ options, frame }) => {
          const denied: AskedDenial[] = [];
          const agent = new PlayedAgent(
            play,
            printPerson((denial) => denied.push(denial)),
          );
          agents.push(agent);
          frame.output.warn("of the settings");
          return printTurn(frame, {
            opened: { agent, close: () => agent.close().then(close) },
            ...readAgentOptions(options, frame),
            denied,
            display,
            recap: async () => RECAP,
            work: (each) => each.prompt("go"),
          });
        },
      }),
  };
  return { commands: [entry], closed: () => agents.map(({ closed }) => closed) };
}

/** The recap of a resumed session in which everything is done. */
const RECAP: Recap = {
  title: "",
  done: { todos: [], files: [], commands: [], answer: "All of it.", reach: "whole" },
  open: { todos: [], turn: { state: "idle" } },
  next: { do: "nothing" },
};
