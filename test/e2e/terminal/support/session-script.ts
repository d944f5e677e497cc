import { byPrompt, calls, goesBack, type Steps, speaksOn } from "./replies.ts";
import { SHOP } from "./scene.ts";

/** The user's prompts in a whole session, and the model's replies. */
export const PROMPTS = {
  fix: "Fix the discount",
  chatter: "Tell me about pears",
  search: "What goes wrong in server.log?",
  command: "Run the tests",
} as const;

export const ANSWERS = {
  fix: "Callers pass percent: discount(200, 10) is 180 now.",
  chatter: "Pears are ripe when",
  search: "The pool runs out of connections once in 500 requests.",
  note: "server.log: 8 of 4,000 lines are errors, all of the pool. Do not read it again.",
  command: "All of them pass.",
} as const;

const steps: Readonly<Record<string, Steps>> = {
  [PROMPTS.fix]: [
    calls("Read", { file_path: "src/cart.js" }),
    calls(
      "Edit",
      { file_path: "src/cart.js", old_string: "amount * percent;", new_string: "(amount * percent) / 100;" },
      "It takes a fraction, but is given percent.",
    ),
    { text: ANSWERS.fix },
  ],
  [PROMPTS.chatter]: [
    speaksOn(`${ANSWERS.chatter} they give way near the stem. And then there is the skin.`),
  ],
  [PROMPTS.search]: [
    calls("Read", { file_path: "server.log", limit: 2000 }),
    goesBack(ANSWERS.note),
    { text: ANSWERS.search },
  ],
  [PROMPTS.command]: [
    calls("Bash", { command: "echo 3 tests passed > report.txt; cat report.txt" }),
    { text: ANSWERS.command },
  ],
};

export const wholeSession = {
  files: {
    ...SHOP,
    "server.log": Array.from({ length: 4000 }, (_, line) =>
      line % 500 === 499 ? `${line} ERROR pool: no free connection` : `${line} info GET /cart 200`,
    ).join("\n"),
  },
  /** Created anew for every session, because each reply is given only once. */
  script: () => byPrompt(steps),
};
