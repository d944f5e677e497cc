/** `3,412`. */
export function whole(count: number): string {
  return count.toLocaleString("en");
}
