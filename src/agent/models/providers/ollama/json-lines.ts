/** The values of a body that holds one JSON value on each line, as they arrive. Throws where a line is not one. */
export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const started: string[] = [];
  for await (const bytes of body) {
    const [rest = "", ...lines] = decoder.decode(bytes, { stream: true }).split("\n");
    started.push(rest);
    // Only a line that is whole is joined: of a long one that never ends, each piece would copy all before it.
    for (const line of lines) {
      yield* parsedLine(started.join(""));
      started.splice(0, started.length, line);
    }
  }
  yield* parsedLine(started.join(""));
}

function* parsedLine(line: string): Generator<unknown> {
  if (line.trim() !== "") yield JSON.parse(line);
}
