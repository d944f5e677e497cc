import { sized as sizedInEnglish } from "../../en/measures/sized.ts";

/** `812 字节`, `12.3 kB`. */
export function sized(bytes: number): string {
  return sizedInEnglish(bytes).replace(/bytes?$/u, "字节");
}
