import type { ReceivedRequest, Responder, ScriptedReply } from "../../../src/testing/model-server/script.ts";

/**
 * A command that appends a line outside the workspace, where no journey takes it back, so that a second run
 * can be counted.
 */
function counted(word: string): string {
  return `echo ${word} >> "$RUNS"; echo ${word} >> done.txt; echo said ${word}`;
}

const bash = (word: string) => ({ name: "Bash", input: { command: counted(word) } });
const read = (path: string) => ({ name: "Read", input: { file_path: path } });

/** The prompts, and the model's replies to each of them. */
export const TURNS = {
  /** Checkpoints: 1 the prompt, 2 the reads, 3 the commands, 4 the write, 5 the backtrack to 4. */
  work: [
    { calls: [read("a.txt"), read("b.txt")] },
    { calls: [bash("first"), bash("second")] },
    { text: "Now a file.", calls: [{ name: "Write", input: { file_path: "new.txt", content: "new\n" } }] },
    {
      calls: [
        { name: "Backtrack", input: { checkpoint_id: 4, note: "No file is needed.", files: "restore" } },
      ],
    },
    { text: "All done." },
  ],
  delegate: [
    {
      calls: [
        { name: "Task", input: { description: "count", prompt: "count on" } },
        { name: "Task", input: { description: "look", prompt: "look around" } },
      ],
    },
    { text: "All done." },
  ],
} as const satisfies Record<string, readonly ScriptedReply[]>;

export type TurnName = keyof typeof TURNS;

export const WENT_ON = "Went on.";

/** The model's replies: those of the turn until it is cut, and then one more command and an answer. */
export class CrashScript {
  #phase: "before" | "after" = "before";
  #asked = 0;
  readonly #turn: TurnName;

  constructor(turn: TurnName) {
    this.#turn = turn;
  }

  goOn(): void {
    this.#phase = "after";
    this.#asked = 0;
  }

  readonly responder: Responder = (request) => {
    if (request.system.includes("sub-agent")) return subAgentSays(request);
    const asked = this.#asked;
    this.#asked += 1;
    if (this.#phase === "before") return TURNS[this.#turn][asked] ?? { text: "(end of the script)" };
    return asked === 0 ? { calls: [bash("resumed")] } : { text: WENT_ON };
  };
}

function subAgentSays({ messages }: ReceivedRequest): ScriptedReply {
  if (messages.length > 1) return { text: "My report." };
  return messages[0]?.text.includes("count on") === true
    ? { calls: [read("a.txt"), bash("first")] }
    : { calls: [read("b.txt"), bash("second")] };
}
