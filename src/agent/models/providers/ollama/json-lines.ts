/** The values of a body that holds one JSON value on each line, as they arrive. Throws where a line is none. */
export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
  if (rest.trim() !== "") yield JSON.parse(rest);
}
