/** The UTF-16 units of a text, as numbers: reading them from here is several times as fast as from the string. */
export type Units = Uint8Array | Uint16Array;

/** Longer texts are seldom, and get memory of their own, which is not held on to. */
const SCRATCH_UNITS = 64 * 1024;

const encoder = new TextEncoder();
const scratch = new Uint8Array(SCRATCH_UNITS);

/** Valid until the next call, which may use the same memory again. */
export function unitsOf(text: string): Units {
  const bytes = text.length > SCRATCH_UNITS ? new Uint8Array(text.length) : scratch.subarray(0, text.length);
  // Only ASCII takes one byte of UTF-8 for each unit; of anything else not all would fit, or more would be written.
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read === text.length && written === text.length) return bytes;
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}
