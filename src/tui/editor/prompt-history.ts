/** Where one is in what was typed before; undefined while one types something new. */
export interface HistoryPlace {
  /** 0 is the newest. */
  readonly back: number;
  /** What stood there before one began to look back. */
  readonly draft: string;
}

export interface Recalled {
  readonly place: HistoryPlace | undefined;
  readonly text: string;
}

/** `entries`: oldest first. Undefined where there is nothing older. */
export function older(
  entries: readonly string[],
  place: HistoryPlace | undefined,
  typed: string,
): Recalled | undefined {
  const back = (place?.back ?? -1) + 1;
  const text = entries.at(-1 - back);
  if (text === undefined || back >= entries.length) return undefined;
  return { place: { back, draft: place?.draft ?? typed }, text };
}

/** After the newest comes what one was typing. */
export function newer(entries: readonly string[], place: HistoryPlace | undefined): Recalled | undefined {
  if (place === undefined) return undefined;
  if (place.back === 0) return { place: undefined, text: place.draft };
  const back = place.back - 1;
  return { place: { ...place, back }, text: entries.at(-1 - back) ?? "" };
}

/** The same thing twice in a row is kept once. */
export function remembered(entries: readonly string[], typed: string): readonly string[] {
  const text = typed.trim();
  return text === "" || entries.at(-1) === text ? entries : [...entries, text];
}
