/** A small seeded generator, because Math.random cannot be seeded. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables = "ba ce di fo gu ha ki lo mu ne pa qui ro sa te vi wo xe yu za str con pre out sub".split(
  " ",
);
const shapes = [
  (word) => `  const ${word()} = ${word()}(${word()}, ${word()});`,
  (word) => `  if (${word()} === undefined) return ${word()}.${word()};`,
  (word) =>
    `/** ${word()} ${word()} the ${word()} when ${word()} is ${word()}, because ${word()} ${word()}. */`,
  (word) => `export function ${word()}(${word()}: ${word()}): ${word()} {`,
  () => "}",
  (word) => `    "${word()}": { "${word()}": ${word().length * 37}, "${word()}": "${word()}-${word()}" },`,
];

/**
 * Text that looks and compresses like code: deflate level 1 reduces it to about two fifths, like real source
 * files.
 */
export function textSource(random, length) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const words = Array.from({ length: 3000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(syllables)).join(""),
  );
  // A few words are frequent, and many are rare.
  const word = () => words[Math.floor(words.length * random() ** 2)];
  const lines = [];
  for (let size = 0; size < length; ) {
    const line = pick(shapes)(word);
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}
