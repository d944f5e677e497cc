import { type ImagePart, type Part, textOf, textPart } from "../../../record/parts.ts";

/** What stands in the text for an image; the image itself is held beside it, by its number. */
export function imageMarker(number: number): string {
  return `[image #${number}]`;
}

const MARKER = /\[image #(\d+)\]/gu;

/** A number that neither an image nor a marker in the text has. */
export function freeImageNumber(text: string, images: ReadonlyMap<number, ImagePart>): number {
  return Math.max(0, ...images.keys(), ...markersIn(text)) + 1;
}

/** The text as it was typed, markers included, and after it the images that it names, in the order of their markers. */
export function partsOf(text: string, images: ReadonlyMap<number, ImagePart>): readonly Part[] {
  const named = markersIn(text).flatMap((number) => images.get(number) ?? []);
  return [textPart(text), ...named];
}

export interface TextAndImages {
  readonly text: string;
  readonly images: ReadonlyMap<number, ImagePart>;
}

/** A prompt as it can be edited again: each image has a marker, those that had none at the end. */
export function editable(content: string | readonly Part[]): TextAndImages {
  if (typeof content === "string") return { text: content, images: new Map() };
  const images = content.flatMap((part) => (part.type === "image" ? [part] : []));
  const text = textOf(content);
  const numbers = markersIn(text).slice(0, images.length);
  let next = freeImageNumber(text, new Map());
  while (numbers.length < images.length) numbers.push(next++);
  const added = numbers.map(imageMarker).filter((marker) => !text.includes(marker));
  const held = images.flatMap((image, index): (readonly [number, ImagePart])[] => {
    const number = numbers[index];
    return number === undefined ? [] : [[number, image]];
  });
  return { text: [text, ...added].filter((piece) => piece !== "").join(" "), images: new Map(held) };
}

/** Several texts as one, a blank line between them; a number that two of them use is changed in the later one. */
export function joined(pieces: readonly TextAndImages[]): TextAndImages {
  let images: ReadonlyMap<number, ImagePart> = new Map();
  const texts: string[] = [];
  for (const piece of pieces) {
    const renumbered = new Map<number, number>();
    let text = piece.text;
    for (const [number, image] of piece.images) {
      const taken = images.has(number) || renumbered.has(number);
      const free = taken ? freeImageNumber([...texts, piece.text].join("\n"), images) : number;
      renumbered.set(number, free);
      images = new Map([...images, [free, image]]);
    }
    text = text.replaceAll(MARKER, (marker, number: string) => {
      const to = renumbered.get(Number(number));
      return to === undefined ? marker : imageMarker(to);
    });
    texts.push(text);
  }
  return { text: texts.join("\n\n"), images };
}

function markersIn(text: string): number[] {
  return [...new Set([...text.matchAll(MARKER)].map(([, number]) => Number(number)))];
}
