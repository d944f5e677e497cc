import type { Agent } from "../../../src/ports/agent.ts";
import type { ReceivedRequest, Responder, ScriptedReply } from "../../../src/testing/model-server/script.ts";
import { seriesOf } from "../../support/claude/series.ts";

/** The user's prompts, in words that appear nowhere else. */
const PROMPTS = ["Please make the first file.", "Please hand the second one over."] as const;
const TASK = "Leave a line behind, then report.";
export const SUMMARY = "Two files were wanted.";
const NOTE = "No third file is needed.";
export const WENT_ON = "Went on.";

/** Plays the story to its end, or until something fails, and returns how each part ended. */
export async function playStory(agent: Agent): Promise<readonly string[]> {
  const ends: string[] = [];
  for (const prompt of PROMPTS) {
    const { outcome, error } = await agent.prompt(prompt);
    ends.push(error === undefined ? outcome : `${outcome}: ${error.code}`);
    if (error !== undefined) return ends;
  }
  ends.push((await agent.compact()).outcome);
  return ends;
}

/**
 * A command that appends a line outside the workspace, where no journey takes it back, so that a second run
 * can be counted. Its output does not appear verbatim in the command.
 */
const bash = (word: string) => ({
  name: "Bash",
  input: {
    command: `echo ${word} >> "$RUNS"; echo ${word} >> done.txt; word=${word}; echo "said $word"`,
    description: word,
  },
});

/** The number of the step that writes the unneeded third file; the prompts are 1 and 4. */
const BACK_TO = 6;

function toldInStory(workspace: string): readonly ScriptedReply[] {
  const write = (name: string) => ({
    name: "Write",
    input: { file_path: `${workspace}/${name}`, content: `${name} is new\n` },
  });
  const backtrack = { checkpoint_id: BACK_TO, note: NOTE, files: "restore" };
  return [
    { text: "A file and a line.", calls: [write("first.txt"), bash("first")] },
    { text: "The first is there." },
    {
      calls: [
        {
          name: "Agent",
          input: { description: "a line", prompt: TASK, subagent_type: "general-purpose" },
        },
      ],
    },
    { calls: [write("third.txt")] },
    { calls: [{ name: "mcp__worldline__Backtrack", input: backtrack }] },
    { text: "The second is there." },
  ];
}

/** The model's replies: those of the story until it is cut, and then one more command and an answer. */
export class StoryScript {
  #phase: "before" | "after" = "before";
  #asked = 0;
  readonly #story: readonly ScriptedReply[];

  constructor(workspace: string) {
    this.#story = toldInStory(workspace);
  }

  /** From here on, the requests come from the process that continues the story. */
  goOn(): void {
    this.#phase = "after";
    this.#asked = 0;
  }

  readonly responder: Responder = (request) => {
    const series = seriesOf(request);
    if (series === "compaction") return { text: `<summary>${SUMMARY}</summary>` };
    if (series === "sub-agent") return subAgentSays(request);
    const asked = this.#asked;
    this.#asked += 1;
    if (this.#phase === "before") return this.#story[asked] ?? { text: "(the story is over)" };
    return asked === 0 ? { calls: [bash("resumed")] } : { text: WENT_ON };
  };
}

function subAgentSays({ messages }: ReceivedRequest): ScriptedReply {
  const hasResult = messages.some(({ results }) => results.length > 0);
  return hasResult ? { text: "My report." } : { calls: [bash("sub")] };
}
