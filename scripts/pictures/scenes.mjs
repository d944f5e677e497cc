/**
 * The steps of a scene, in order. `hold` shows the screen for that many seconds in the recording, `picture`
 * saves it as docs/pictures/<picture>.svg.
 * @typedef {{ readonly wait: string | RegExp }
 *   | { readonly type: string }
 *   | { readonly press: readonly string[] }
 *   | { readonly hold: number }
 *   | { readonly picture: string }} Step
 */
/** @typedef {import("../../src/testing/testing.ts").ScriptedReply} ScriptedReply */
/**
 * @typedef {{
 *   readonly title: string,
 *   readonly language?: "en" | "zh-CN",
 *   readonly columns: number,
 *   readonly rows: number,
 *   readonly replies?: readonly ScriptedReply[],
 *   readonly files?: Readonly<Record<string, string>>,
 *   readonly steps: readonly Step[],
 *   readonly recording?: string,
 * }} PictureScene Without `replies` there is no model; with `recording` the whole scene becomes docs/pictures/<recording>.svg.
 */

/** @param {string} name @param {Record<string, import("../../src/record/parts.ts").Json>} input */
const call = (name, input) => ({ calls: [{ name, input }] });

/** A log in which one line in 500 matters. */
const serverLog = Array.from({ length: 4000 }, (_, line) =>
  line % 500 === 499
    ? `12:00:${String(line % 60).padStart(2, "0")} ERROR pool: no free connection after 5000 ms`
    : `12:00:${String(line % 60).padStart(2, "0")} info  GET /cart 200 ${3 + (line % 7)} ms`,
).join("\n");

/** @type {readonly PictureScene[]} */
export const scenes = [
  {
    title: "worldline",
    columns: 80,
    rows: 24,
    steps: [{ wait: /^ +5 +\S/mu }, { picture: "first-screen" }],
  },
  {
    title: "worldline",
    language: "zh-CN",
    columns: 80,
    rows: 24,
    steps: [{ wait: /^ +5 +\S/mu }, { picture: "first-screen.zh-CN" }],
  },
  {
    title: "worldline: an edit, and back",
    columns: 88,
    rows: 26,
    recording: "tour",
    replies: [
      call("Read", { file_path: "src/cart.js" }),
      {
        text: "The discount takes a fraction, but callers pass percent. I will divide by 100.",
        ...call("Edit", {
          file_path: "src/cart.js",
          old_string: "  return amount - amount * percent;",
          new_string: "  return amount - (amount * percent) / 100;",
        }),
      },
      { text: "`discount(200, 10)` is now 180. Nothing else calls it." },
    ],
    steps: [
      { wait: "scripted" },
      { hold: 1 },
      { type: "The discount is wrong: 10% of 200 gives -1800. Fix it." },
      { press: ["enter"] },
      { wait: "/ 100;" },
      { picture: "permission" },
      { hold: 2.5 },
      { type: "1" },
      { wait: "Nothing else calls it" },
      { picture: "answer" },
      { hold: 2.5 },
      { press: ["escape", "escape"] },
      { wait: "(current)" },
      { picture: "rewind" },
      { hold: 2 },
      { type: "1" },
      { hold: 1.5 },
      { press: ["enter"] },
      { picture: "rewind-preview" },
      { hold: 2.5 },
      { press: ["enter"] },
      { wait: "The discount is wrong" },
      { hold: 3 },
    ],
  },
  {
    title: "worldline: the agent goes back",
    columns: 88,
    rows: 26,
    files: { "server.log": serverLog },
    replies: [
      call("Read", { file_path: "server.log", limit: 2000 }),
      call("Backtrack", {
        checkpoint_id: 2,
        note: "server.log: 4,000 lines, 8 errors, all of them `pool: no free connection after 5000 ms`, one every 500 requests.\nThe rest is ordinary traffic: **do not read it again**.",
        rationale: "2,000 lines of log of which four matter",
      }),
      { text: "The pool runs out of connections about once in 500 requests; nothing else fails." },
    ],
    steps: [
      { wait: "scripted" },
      { type: "What's going wrong in server.log?" },
      { press: ["enter"] },
      { wait: "nothing else fails" },
      { picture: "backtrack" },
      { type: "/tree" },
      { press: ["enter"] },
      { picture: "tree" },
      { press: ["escape"] },
      { type: "/context" },
      { press: ["enter"] },
      { picture: "context" },
    ],
  },
];
