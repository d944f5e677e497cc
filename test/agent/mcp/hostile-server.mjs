// An MCP server on standard input and output; its argument chooses how it misbehaves.
import { createInterface } from "node:readline";

const [, , attack = ""] = process.argv;
const deep = (/** @type {number} */ levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const raw = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
const send = (/** @type {object} */ message) => raw(JSON.stringify({ jsonrpc: "2.0", ...message }));
const tool = (/** @type {string} */ name, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const text = (/** @type {string} */ said) => ({ type: "text", text: said });
/** Writes `line` endlessly, as fast as the reader consumes it. */
const flood = (/** @type {string} */ line) => {
  const write = () => {
    while (process.stdout.write(line.repeat(1_000)));
    process.stdout.once("drain", () => setImmediate(write));
  };
  write();
};

/** @type {Record<string, (id: number) => void>} */
const lists = {
  "bad-tools": (id) =>
    raw(
      `{"jsonrpc":"2.0","id":${id},"result":{"tools":[${[
        JSON.stringify(tool("good")),
        `{"name":"deep","inputSchema":{"type":"object","x":${deep(100_000)}}}`,
        '{"name":"array","inputSchema":[]}',
        '{"name":"none"}',
        '{"name":5,"inputSchema":{"type":"object"}}',
        '{"name":"","inputSchema":{"type":"object"}}',
        '"words"',
        "null",
        JSON.stringify(tool("large", { description: "x".repeat(200_000) })),
        `{"name":"proto","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}`,
        JSON.stringify(
          tool("bad-output", { outputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } }),
        ),
      ].join(",")}]}}`,
    ),
  "many-tools": (id) =>
    send({ id, result: { tools: Array.from({ length: 5_000 }, (_, at) => tool(`t${at}`)) } }),
  "endless-pages": (id) => send({ id, result: { tools: [tool(`t${id}`)], nextCursor: `c${id}` } }),
  "no-list": (id) => send({ id, result: { tools: { length: 3 } } }),
  "wrong-id": (id) => send({ id: id + 1_000, result: { tools: [] } }),
  garbage: () => flood("not JSON \u0000 {]\n"),
  "giant-line": () => flood("x".repeat(1_000)),
  requests: () => flood('{"jsonrpc":"2.0","id":"r","method":"sampling/createMessage","params":{}}\n'),
  dies: () => process.exit(1),
  "bad-rpc": (id) => {
    for (const line of ["{}", "[]", "null", "5", '{"jsonrpc":"1.0"}', `{"jsonrpc":"2.0","id":${id}}`])
      raw(line);
    raw(`{"jsonrpc":"2.0","id":{},"result":{}}`);
    send({ id, error: { code: "x", message: 5 } });
  },
};

/** @type {Record<string, (id: number, token: unknown) => void>} */
const calls = {
  "bad-parts": (id) =>
    raw(
      `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"a":${deep(100_000)}},"content":[${[
        JSON.stringify(text("before")),
        '{"type":"text"}',
        '{"type":"image","data":5}',
        '{"type":"hologram","data":"x"}',
        `{"type":"text","text":"x","_meta":{"x":${deep(100_000)}}}`,
        "null",
        '"words"',
        JSON.stringify(text("after")),
      ].join(",")}]}}`,
    ),
  "no-content": (id) => send({ id, result: {} }),
  "content-is-text": (id) => send({ id, result: { content: "words" } }),
  "many-parts": (id) => send({ id, result: { content: Array.from({ length: 5_000 }, () => text("x")) } }),
  "other-structure": (id) => send({ id, result: { structuredContent: { b: 1 }, content: [text("said")] } }),
  "answers-twice": (id) => {
    send({ id, result: { content: [text("first")] } });
    send({ id, result: { content: [text("second")] } });
  },
  notifications: (id) => {
    for (let at = 0; at < 20_000; at += 1) send({ method: "notifications/tools/list_changed" });
    for (let at = 0; at < 20_000; at += 1) send({ method: "notifications/unknown", params: { at } });
    send({ id, result: { content: [text("at last")] } });
  },
  progress: (id, progressToken) => {
    for (let progress = 0; progress < 20_000; progress += 1) {
      send({ method: "notifications/progress", params: { progressToken, progress, message: "on" } });
    }
    send({ id, result: { content: [text("at last")] } });
  },
  "error-in-words": (id) => send({ id, result: { isError: "yes", content: [text("no such row")] } }),
  "result-is-null": (id) => send({ id, result: null }),
  "result-is-text": (id) => send({ id, result: "words" }),
  "error-is-text": (id) => send({ id, error: "no" }),
  "no-answer-in-it": (id) => send({ id }),
  "giant-answer": () => flood("x".repeat(1_000)),
  "dies-in-a-call": () => process.exit(1),
};

const all = tool("work", {
  outputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
});
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "hostile", version: "1" };
    send({ id, result: { protocolVersion, serverInfo, capabilities: { tools: { listChanged: true } } } });
  } else if (method === "tools/list")
    (lists[attack] ?? ((to) => send({ id: to, result: { tools: [all] } })))(id);
  else if (method === "tools/call") calls[attack]?.(id, params["_meta"]?.progressToken);
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
});
