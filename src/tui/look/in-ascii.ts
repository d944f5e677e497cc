/** Signs of our own words, each by one that every terminal has and that is as wide. */
const SIGNS: Readonly<Record<string, string>> = {
  "·": "-",
  "…": ".",
  "⋯": "~",
  "↵": "$",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "±": "~",
  "•": "*",
  "–": "-",
  "▸": ">",
  "▾": "v",
};
const FOUND = new RegExp(`[${Object.keys(SIGNS).join("")}]`, "gu");

/** For a terminal whose locale has no other signs than those of ASCII. */
export function inAscii(line: string): string {
  return line.replace(FOUND, (sign) => SIGNS[sign] ?? sign);
}
