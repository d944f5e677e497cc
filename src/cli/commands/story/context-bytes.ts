import type { Context } from "../../../timeline/context/message.ts";

/**
 * A context as one row of bytes, part by part, as a provider's prefix cache compares it: what is added at
 * the end leaves everything before it as it was.
 */
export function contextBytes({ system, messages }: Context): Buffer {
  const parts = messages.flatMap(({ parts: all, ...message }) =>
    all.map((part) => JSON.stringify([message, part])),
  );
  return Buffer.from([system, ...parts].map((part) => `${part}\n`).join(""));
}

export function isPrefix(start: Buffer, whole: Buffer): boolean {
  return start.equals(whole.subarray(0, start.length));
}
