const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;
const STEP = 1000;

/** `812 bytes`, `12.3 kB`. */
export function sized(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${bytes === 1 ? "byte" : UNITS[unit]}`;
}
