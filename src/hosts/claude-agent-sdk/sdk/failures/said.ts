const MOST_SAID = 300;

/** What the SDK puts around the words of the API: which it is, and advice for its own screen. */
const AROUND = [
  /^Claude Code returned an error result: /u,
  /^Failed to authenticate\. /u,
  /^API Error: /u,
  /^Request rejected \(\d{3}\) · /u,
  /^\d{3} /u,
  / This is a server-side issue, .*$/u,
  / (?:This is usually temporary — try|Check the gateway set in ANTHROPIC_BASE_URL, then try) again\.$/u,
];

/** Whatever looks like one: nobody can tell us which it is, and a server may quote it. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w-]{6,}/gu, "(key)"],
  [/\b(Bearer|Basic) [\w.~+/=-]{6,}/giu, "$1 (key)"],
  [/\b((?:api|auth|access)[\w -]{0,12}(?:key|token)[^:.]{0,24}: *)[^\s"',;]{6,}/giu, "$1(key)"],
  [/:\/\/[^\s/@]+@/gu, "://"],
];

/** In one sentence, without what only its own screen needs, and without a key. */
export function sentenceOf(text: string): string {
  const line = AROUND.reduce((rest, around) => rest.replace(around, ""), text.replace(/\s+/gu, " ").trim());
  const bare = SECRETS.reduce((rest, [secret, instead]) => rest.replace(secret, instead), line);
  if (bare === "") return "";
  const short = bare.length > MOST_SAID ? `${bare.slice(0, MOST_SAID)}…` : bare;
  return /[.!?…]$/u.test(short) ? short : `${short}.`;
}
