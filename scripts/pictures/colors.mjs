/** The colors of the pictures: always those of the same dark terminal. */
export const background = "#16181d";
export const foreground = "#d8dbe2";

const named = [
  ["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4"],
  ["#6b7280", "#f08a92", "#b5d99c", "#f2d399", "#8bc6ff", "#d9a0ea", "#7fd1dc", "#ffffff"],
].flat();
/** The six levels per channel in the 216-color cube, as terminals define them. */
const levels = [0, 95, 135, 175, 215, 255];

/**
 * @param {number | string} color A palette number or "#rrggbb".
 * @returns {string}
 */
export function hex(color) {
  if (typeof color === "string") return color;
  const fromName = named[color];
  if (fromName !== undefined) return fromName;
  if (color >= 232) return spell([0, 0, 0].map(() => 8 + (color - 232) * 10));
  const place = color - 16;
  return spell([Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6].map((at) => levels[at] ?? 0));
}

/** @param {readonly number[]} parts */
function spell(parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
