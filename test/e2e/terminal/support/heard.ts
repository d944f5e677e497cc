import type { ReceivedRequest } from "../../../../src/testing/testing.ts";
import type { Scene } from "./scene.ts";

export function lastRequest({ server }: Scene): ReceivedRequest | undefined {
  return server?.requests.at(-1);
}

/** Everything in a request except its instructions, in order. */
export function heardIn(request: ReceivedRequest | undefined): string {
  return (request?.messages ?? [])
    .flatMap(({ text, results }) => [...results.map((each) => each.text), text])
    .join("\n");
}
