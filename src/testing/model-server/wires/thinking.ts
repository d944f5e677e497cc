import { createHash } from "node:crypto";

/** A provider signs its thinking and takes back only what it signed; ours can check that without remembering. */
export function signatureOf(thinking: string): string {
  return `scripted-${createHash("sha256").update(thinking).digest("base64")}`;
}
