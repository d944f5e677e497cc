import { callsOfADeadEnd, fileOf, prose } from "./work.mjs";

/**
 * The size of the model's thinking and text in each step. With these values, the linear run is about as long
 * as the run for which the targets were set.
 */
const THINKING_BYTES = 250;
const NOTE_BYTES = 400;
const SUMMARY_BYTES = 12_000;

/**
 * A model that does the same work regardless of what happens to its context, because it decides only from what the
 * context contains. If it has Backtrack, it returns to the beginning of each dead end afterwards, with a note.
 * @param {readonly string[]} labels
 * @param {"quiet" | "talkative"} [manner] Whether the model keeps its thoughts to itself or reports them to the user. A
 * note repeats what was reported, so this determines the length of the notes.
 */
export function scriptedModel(labels, manner = "quiet") {
  return (request) => {
    if (request.tools.length === 0) return { text: summaryOf(labels, textOf(request)) };
    const done = lastDone(labels, textOf(request));
    const last = labels[done];
    const canGoBack = request.tools.includes("Backtrack");
    if (canGoBack && isEndOfDeadEnd(last) && !isNoted(last, request)) return goBack(last, request);
    const next = labels[done + 1];
    return next === undefined ? { text: "The shop is repaired." } : look(next, manner);
  };
}

const nameOf = (label) => label.slice(0, 3);
const isEndOfDeadEnd = (label) => label?.endsWith(`.${callsOfADeadEnd}`);
const isNoted = (label, request) => textOf(request).includes(`[over ${nameOf(label)}]`);

function textOf({ messages }) {
  return messages
    .flatMap(({ text, calls }) => [text, ...calls.map(({ input }) => JSON.stringify(input))])
    .join("\n");
}

/** The furthest step in the context, according to the call itself, a note, or a summary. */
function lastDone(labels, text) {
  let last = -1;
  for (const [, file, over, soFar] of text.matchAll(
    /notes\/([DG]\d\d(?:-\d)?)\.txt|\[over (D\d\d)\]|\[so far ([DG]\d\d(?:\.\d)?)\]/gu,
  )) {
    const label = file?.replace("-", ".") ?? soFar ?? `${over}.${callsOfADeadEnd}`;
    last = Math.max(last, labels.indexOf(label));
  }
  return last;
}

function look(label, manner) {
  const thought = prose(`thought of ${label}`, THINKING_BYTES);
  const calls = [{ name: "Read", input: { file_path: fileOf(label) } }];
  if (manner === "talkative") return { text: thought, calls };
  // In each dead end, the model says something to the user once.
  const says = label.endsWith(".1") ? { text: `Now I follow ${label}.` } : {};
  return { thinking: thought, ...says, calls };
}

function goBack(label, request) {
  const name = nameOf(label);
  const note = `[over ${name}] ${prose(`finding of ${name}`, NOTE_BYTES)}`;
  return {
    calls: [{ name: "Backtrack", input: { checkpoint_id: checkpointBefore(`${name}.1`, request), note } }],
  };
}

/** The number in the last marker before the dead end. */
function checkpointBefore(label, { messages }) {
  let number = 0;
  for (const { text, calls, results } of messages) {
    if (calls.some(({ input }) => input?.file_path === fileOf(label))) return number;
    for (const [, shown] of [text, ...results.map((result) => result.text)]
      .join("\n")
      .matchAll(/Checkpoint (\d+)/gu)) {
      number = Number(shown);
    }
  }
  throw new Error(`The context does not show where ${label} began.`);
}

function summaryOf(labels, text) {
  const label = labels[lastDone(labels, text)];
  return `Goal: repair the shop.\n\nFacts: [so far ${label}] ${prose(`summary at ${label}`, SUMMARY_BYTES)}`;
}
