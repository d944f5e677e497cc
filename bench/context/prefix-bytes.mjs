const MARK = /,"cache_control":\{"type":"ephemeral"\}/gu;
const NOTE =
  /\{"type":"text","text":"<system-[a-z0-9]+>You were further ahead and went back to checkpoint \d+\./gu;

/**
 * Checks the recorded bytes of each request after a backtrack: everything before the newest note, including
 * the tools, must match the beginning of an earlier request byte for byte.
 * @param {readonly any[]} requests
 * @returns {{ afterBacktrack: number, identical: number, others: number, extending: number }}
 */
export function comparePrefixes(requests) {
  const earlier = [];
  const counts = { afterBacktrack: 0, identical: 0, others: 0, extending: 0 };
  let notes = 0;
  for (const request of requests) {
    const text = request.bytes.toString("utf8").replace(MARK, "");
    const found = [...text.matchAll(NOTE)];
    const known = (beginning) =>
      earlier.some((each) => each.text.startsWith(beginning) && each.tools === toolsIn(text));
    if (found.length > notes) {
      counts.afterBacktrack += 1;
      if (known(beforeBlock(text, found.at(-1).index))) counts.identical += 1;
    } else if (earlier.length > 0) {
      counts.others += 1;
      // In a request that continues an earlier one, a message may be followed by the next message or by another block
      // of the same message.
      if (text.startsWith(beginningOf(earlier.at(-1).text))) counts.extending += 1;
    }
    notes = found.length;
    earlier.push({ text, tools: toolsIn(text) });
  }
  return counts;
}

/** Everything before the block at `index`, without the closing brackets, which depend on what follows. */
function beforeBlock(text, index) {
  return text.slice(0, index).replace(/(?:,|\]\},\{"role":"user","content":\[)$/u, "");
}

function beginningOf(text) {
  const end = text.lastIndexOf("]}]", messagesEnd(text));
  return text.slice(0, end);
}

const messagesEnd = (text) => {
  const tools = text.indexOf('],"tools":[');
  return tools === -1 ? text.length : tools + 1;
};

const toolsIn = (text) => text.slice(messagesEnd(text));
