/** What the beginning of a shortened text gets; its end gets the rest. */
const BEGINNING = 0.6;

/** At most about `most` characters: the beginning and the end, and in between how much was left out. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = wholeBefore(text, Math.floor(most * BEGINNING));
  const to = wholeAfter(text, text.length - Math.ceil(most * (1 - BEGINNING)));
  const left = (to - from).toLocaleString("en");
  return `${text.slice(0, from)}\n[… ${left} characters left out …]\n${text.slice(to)}`;
}

/** Half of a surrogate pair is no text: providers refuse it, or send back something else. */
function wholeBefore(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function wholeAfter(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
