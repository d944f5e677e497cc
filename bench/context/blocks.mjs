import { tokensOf } from "./work.mjs";

/**
 * The blocks of a request in the order in which a provider caches them, without the cache marks, which move.
 * @param {any} body
 * @returns {{ text: string, tokens: number }[]}
 */
export function blocksOf(body) {
  const blocks = [
    ...(body.tools ?? []).map((tool) => ["tool", tool]),
    ...contentOf(body.system ?? []).map((block) => ["system", block]),
    ...body.messages.flatMap(({ role, content }) => contentOf(content).map((block) => [role, block])),
  ];
  return blocks.map(([kind, block]) => {
    const text = `${kind} ${canonical(block)}`;
    return { text, tokens: tokensOf(text) };
  });
}

const contentOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

function canonical(value) {
  return JSON.stringify(value, (key, each) => (key === "cache_control" ? undefined : each));
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
