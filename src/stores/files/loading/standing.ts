/**
 * A line that claims to stand further than this behind the one before it is not believed:
 * each missing line costs memory, and no crash loses that many.
 */
const MOST_MISSING = 10_000_000;

/** What a line is that says its number is `seq`, where `next` would follow: one more, one from before, or not believed. */
export function standingOf(seq: number, next: number): "following" | "earlier" | "beyond" {
  if (seq < next) return "earlier";
  return seq - next > MOST_MISSING ? "beyond" : "following";
}
