/** Everything that the scripted model, its tools and the scripted user say. No real model is called. */
export const script = {
  model: "scripted",
  system: "You are a coding agent. This conversation is scripted: no model is called.",
  leak: "The server runs out of memory after two hours. Find the leak.",
  test: "Now write a test that fails without the fix.",
  otherTest: "No test, thanks: a line in the changelog is enough.",
  note:
    "server.log is noise except for line 811: src/pool.ts:41 takes sockets and never releases them. " +
    "heap.json adds nothing to that. No files were changed.",
  summary:
    "The leak was in src/pool.ts:41: a socket was not released when a request timed out. It is fixed there, in a " +
    "finally block. The user then asked for a test that fails without the fix.",
  exchanges: {
    readLog: {
      say: "The log may show the cause.",
      tool: "Read",
      input: { path: "server.log" },
      result: largeLog(),
    },
    readHeap: {
      say: "Nothing obvious. I'll check the heap.",
      tool: "Read",
      input: { path: "heap.json" },
      result: heap(),
    },
    fix: {
      say: "The note names the line, so I'll fix it.",
      tool: "Edit",
      input: { path: "src/pool.ts", line: 41, add: "finally { pool.release(socket) }" },
      result: "Edited src/pool.ts.",
    },
    look: {
      say: "How are tests written here?",
      tool: "Read",
      input: { path: "test/pool.test.ts" },
      result: testFile(),
    },
    write: {
      say: "I'll add one.",
      tool: "Edit",
      input: { path: "test/pool.test.ts" },
      result: "Edited test/pool.test.ts.",
    },
    run: { say: "Now I'll run it.", tool: "Bash", input: { command: "npm test" }, result: "14 passed." },
    changelog: {
      say: "Done.",
      tool: "Edit",
      input: { path: "CHANGELOG.md" },
      result: "Edited CHANGELOG.md.",
    },
  },
} as const;

export interface Exchange {
  readonly say: string;
  readonly tool: string;
  readonly input: { readonly [name: string]: string | number };
  readonly result: string;
}

/** Creates a log that is large enough to be stored as a blob and to fill the context with noise. */
function largeLog(): string {
  const line = (number: number) =>
    `12:00:${String(number % 60).padStart(2, "0")} INFO request ${number} served in ${number % 97} ms`;
  return Array.from({ length: 1_200 }, (_, index) => line(index)).join("\n");
}

function heap(): string {
  return JSON.stringify(
    Array.from({ length: 400 }, (_, index) => ({ type: "Socket", id: index, retained: index * 64 })),
  );
}

function testFile(): string {
  return Array.from(
    { length: 60 },
    (_, index) => `it("serves request ${index}", () => expect(get(${index})).ok());`,
  ).join("\n");
}
