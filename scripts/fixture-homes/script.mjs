/** @typedef {Awaited<ReturnType<typeof import("../pictures/harness.mjs").loadHarness>>} Harness */

/** The workspace before the session. */
export const files = {
  ".gitignore": ".env\n*.tmp\nnode_modules/\n",
  ".env": "SECRET=1\n",
  "README.md": "# Shop\n\nPrices, totals and a discount.\n",
  "src/cart.js":
    "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n\n" +
    "export function discount(amount, percent) {\n  return amount - amount * percent;\n}\n",
  "src/prices.json": '{ "apple": 120, "pear": 90 }\n',
  "notes.txt": "Ask about the pears.\n",
  "list.txt": "one\ntwo\nthree\nfour\nfive\n",
  "docs/a.md": "# A\n",
  "locked/in.txt": "in\n",
  "secret.txt": "hush\n",
  "node_modules/dep/index.js": "export const dep = 1;\n",
  "small.bin": "x".repeat(100),
  "server.log": Array.from({ length: 120 }, (_, line) =>
    line % 40 === 39 ? `${line} ERROR pool: no free connection` : `${line} info GET /cart 200`,
  ).join("\n"),
};

export const prompts = {
  fix: "Fix the discount",
  tests: "Run the tests",
  search: "What goes wrong in server.log?",
  speak: "Tell me about pears",
  refused: "Ask without a key",
  impossible: "Ask for the impossible",
  plan: "Write it down in plan mode",
  after: "And now?",
  alone: "Do it with nobody to ask",
  endless: "Go on without an end",
};

/** What the model says at the end of each turn. */
export const answers = {
  fix: "Callers pass percent: discount(200, 10) is 180 now.",
  tests: "All of them pass.",
  search: "The pool runs out of connections once in 40 requests.",
  speak: "Pears are ripe when",
  plan: "Then I will write nothing.",
  after: "Now there is nothing left to do.",
  alone: "Nobody could be asked.",
};

/**
 * Returns the model's replies to each prompt, step by step.
 * @param {Pick<Harness, "calls" | "goesBack" | "speaksOn">} harness
 */
export function replies({ calls, goesBack, speaksOn }) {
  const write = (/** @type {string} */ path, /** @type {string} */ content) =>
    calls("Write", { file_path: path, content });
  return {
    [prompts.fix]: [
      calls("Read", { file_path: "src/cart.js" }),
      {
        calls: [
          { name: "Read", input: { file_path: "secret.txt" } },
          { name: "Read", input: { file_path: "missing.txt" } },
          { name: "Edit", input: { file_path: "src/cart.js", old_string: "not in it", new_string: "x" } },
          { name: "Edit", input: { file_path: "README.md", old_string: "Shop", new_string: "Store" } },
          { name: "Nonsense", input: {} },
        ],
      },
      calls(
        "Edit",
        {
          file_path: "src/cart.js",
          old_string: "amount * percent;",
          new_string: "(amount * percent) / 100;",
        },
        "It takes a fraction, but is given percent.",
      ),
      write("src/new.js", "export const fresh = 1;\n"),
      calls("Bash", { command: "rm -rf docs" }),
      { text: answers.fix },
    ],
    [prompts.tests]: [
      calls("Bash", {
        command:
          "mkdir -p made; echo a > made/a.txt; echo 3 passed > report.txt; echo 3 passed; " +
          "echo six >> list.txt; echo changed > locked/in.txt; rm -r docs",
      }),
      calls("Bash", { command: "ls nowhere" }),
      { text: answers.tests },
    ],
    [prompts.search]: [
      calls("Read", { file_path: "server.log" }),
      goesBack("server.log: 3 of 120 lines are errors, all of the pool. Do not read it again."),
      write("src/scratch.js", "export const scratch = 1;\n"),
      goesBack("The scratch file was of no use.", "restore"),
      calls("Glob", { pattern: "src/*" }),
      calls("Backtrack", { checkpoint_id: 999, note: "There is no such place." }),
      { text: answers.search },
    ],
    [prompts.speak]: [speaksOn(`${answers.speak} they give way near the stem.`)],
    [prompts.refused]: [{ misbehave: { do: /** @type {const} */ ("status"), status: 401 } }],
    [prompts.impossible]: [{ misbehave: { do: /** @type {const} */ ("status"), status: 400 } }],
    [prompts.plan]: [write("plan.txt", "written\n"), { text: answers.plan }],
    [prompts.after]: [{ text: answers.after }],
    [prompts.alone]: [
      write("alone.txt", "written\n"),
      calls("Bash", { command: "touch alone.txt" }),
      { text: answers.alone },
    ],
    [prompts.endless]: Array.from({ length: 4 }, () => calls("Glob", { pattern: "src/*" })),
  };
}
