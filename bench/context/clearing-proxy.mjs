import { createServer } from "node:http";
import { blocksOf, sum } from "./blocks.mjs";

const TRIGGER = 100_000;
const KEPT = 3;
const PLACEHOLDER = "[Old tool result content cleared]";

/**
 * A proxy between the agent and the model's server. It edits requests the way Anthropic's context editing does before
 * the model sees them: above 100,000 tokens, all tool results except the newest three are replaced by a
 * placeholder. Cleared results stay cleared, which is best for the cache: otherwise every later request would be edited
 * differently.
 * @param {string} target
 */
export async function openClearingProxy(target) {
  const cleared = new Set();
  const edit = (body) => {
    apply(body, cleared);
    if (sum(blocksOf(body).map(({ tokens }) => tokens)) <= TRIGGER) return;
    for (const { tool_use_id: id } of resultsIn(body).slice(0, -KEPT)) cleared.add(id);
    apply(body, cleared);
  };
  const server = createServer((request, response) => {
    pass({ request, response, target, edit }).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

async function pass({ request, response, target, edit }) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString("utf8");
  const body = text === "" ? undefined : JSON.parse(text);
  if (body?.messages !== undefined) edit(body);
  const { host: _host, "content-length": _length, connection: _connection, ...headers } = request.headers;
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}

const resultsIn = ({ messages }) =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result"),
  );

function apply(body, cleared) {
  for (const result of resultsIn(body)) if (cleared.has(result.tool_use_id)) result.content = PLACEHOLDER;
}
