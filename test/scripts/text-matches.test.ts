// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted code has templates.
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { pairsIn, wordsOf } from "../../scripts/catalogue-phrases.mjs";
import { faultsIn } from "../../scripts/syntax-faults.mjs";
import { ownTexts, textFaults } from "../../scripts/text-matches.mjs";

const parsed = (path: string, code: string) => ts.createSourceFile(path, code, ts.ScriptTarget.ES2023, true);

const catalogue = parsed(
  "src/strings/en/errors/machine.ts",
  'export const machine = { closed: () => "This session was closed.", none: (n) => `No checkpoint ${n} on this branch.` };',
);
const writer = parsed("src/machine/list.ts", "const timeOf = (at) => `Checkpoint at ${at}`;");
const notes = parsed("src/machine/notes.ts", 'export const STOPPED = "Stopped by the user";');
const texts = ownTexts([catalogue, writer, notes]);

/** The faults of a file, each without the place. */
function faults(code: string, path = "src/cli/commands/planted.ts"): readonly string[] {
  const file = parsed(path, code);
  return faultsIn(file, textFaults(file, texts)).map((each) => each.replace(/^\S+ /u, ""));
}

const DEPENDS = "depends on what a text says";

describe("code that depends on what a text says", () => {
  it.each([
    ['error.message.includes("lock")'],
    ['if (error.message === "The log is closed.") retry();'],
    ['const { hint } = error; hint?.startsWith("Run")'],
    ["const said = error.message.trim(); /held by/u.test(said)"],
    ['`${error.message}`.includes("lock")'],
    ["`${error}`.match(/lock/u)"],
    ['String(error).includes("lock")'],
    ['error.toString().startsWith("Error: lock")'],
    ["known.get(error.message)"],
    ["known.has(String(cause))"],
    ["const text = TABLE[error.message];"],
    ['entry.reason === "it was not captured"'],
    ['row.detail !== "kept by you"'],
    ['if (entry.text === "The turn ended.") end();'],
    ['note.description === "no such file"'],
    ["if (text === strings.journeys.none) stop();"],
    ["const { journeys: words } = frame.strings; if (text === words.none) stop();"],
    ["const show = ({ strings: { journeys } }, text) => text !== journeys.none;"],
    ["text.startsWith(frame.strings.journeys.begin)"],
    ["text.includes(strings.journeys.named(name))"],
    ['switch (failure.message) { case "Not found.": break; }'],
    ['wordingOf(frame).message(problem).includes("closed")'],
    ['const { hint } = wordingOf(frame); hint(problem).startsWith("Run")'],
    ["if (remarkText(strings, why) === other) stop();"],
    ["/closed/u.test(noticeTexts(notice, words)[0].text)"],
    ["const texts = noticeTexts(notice, words); /closed/u.test(texts[0]?.text ?? '')"],
    ['noticeTexts(notice, words).some(({ text }) => text.includes("closed"))'],
    ['const mentions = (text) => text.includes("lock"); if (mentions(error.message)) retry();'],
    ['function mentions(text) { return text.includes("lock"); } mentions(remarkText(strings, why));'],
    ['errors.map((each) => each.message).includes("lock")'],
    ['errors.map(({ message }) => message).some((each) => each.startsWith("lock"))'],
    ['["lock", "full"].includes(error.message)'],
    ["error.message.replace(/, /u, '; ')"],
  ])("is found: %s", (code) => {
    expect(faults(code)).toEqual([DEPENDS]);
  });

  it.each([
    ['line.includes("session was")', "session was"],
    ["/^Checkpoint at \\d\\d:\\d\\d$/u.test(line)", "checkpoint at"],
    ["const CLOSED = /was closed/iu; CLOSED.exec(line)", "was closed"],
    ['const AT = "Checkpoint at "; line.startsWith(AT)', "checkpoint at"],
    ['if (line === "This session was closed.") stop();', "this session"],
    ['switch (line) { case "On this branch": break; }', "on this"],
    ['line.split("No checkpoint ")', "no checkpoint"],
    ['line.replace(/on this branch/u, "")', "on this"],
    ['SEEN.get("this branch")', "this branch"],
    ["/\\[was closed\\] \\d/u.exec(line)", "was closed"],
    ['import { STOPPED } from "../../machine/notes.ts"; line.startsWith(STOPPED)', "stopped by"],
    ['import { STOPPED as S } from "../../machine/notes.ts"; if (line === S) stop();', "stopped by"],
    ['new RegExp(["was closed", "x"].join("|")); line.endsWith("was closed")', "was closed"],
  ])("is found by our own words: %s", (code, phrase) => {
    expect(faults(code)).toEqual([`recognizes a text by "${phrase}"`]);
  });

  it("is a Proxy, which could rewrite a catalogue", () => {
    expect(faults("new Proxy(strings, { get: (on, key) => rewritten(on[key]) })")).toEqual([
      "may rewrite texts in a Proxy",
    ]);
  });

  it.each([
    ['if (error.code === "SESSION_CLOSED") stop();'],
    ['if (error.reason === "session-closed") stop();'],
    ["if (error.message === undefined) stop();"],
    ['if (row.hint !== "") show(row.hint);'],
    ["table[finding.why]"],
    ["NEVER.has(state.why)"],
    ['line.includes("closed")'],
    ['line.split(", ")'],
    ["/^[a-z]+ was$/u.test(line)"],
    ['const text = strings.journeys.none; text === ""'],
    ["const { message } = wordingOf(frame); show(message(problem))"],
    ['if (hint(problem) === "") return;'],
    ["const shown = (text) => text.trim(); shown(error.message);"],
    ['import { STOPPED } from "../../machine/notes.ts"; show(STOPPED)'],
    ["const why = String(error); keep({ why });"],
    ['error.message.replaceAll(/\\s+/gu, " ")'],
    ["const LINE = /\\r\\n|\\n/u; error.message.split(LINE)"],
    ['["ignored", "missing"].includes(String(value["why"]))'],
  ])("is not %s", (code) => {
    expect(faults(code)).toEqual([]);
  });
});

describe("an error that a front end shows", () => {
  it.each([
    ["output.warn(error.message)"],
    ["frame.output.notice(`${error.message} ${error.hint ?? ''}`)"],
    ['output.warn([error.message, error.hint ?? ""].join(" ").trim())'],
    ["frame.strings.files.without(here.why)"],
    ["const { files } = strings; files.without(at.why ?? '')"],
    ["strings.files.without(String(error))"],
  ])("is English in %s", (code) => {
    expect(faults(code)).toEqual(["shows an error in English"]);
    expect(faults(code, "src/app/planted.ts")).toEqual([]);
  });

  it.each([
    ["output.warn(message(error))"],
    ["output.warn(errorOnScreen(strings, error).message)"],
    ["frame.strings.files.without(remarkText(frame.strings, at))"],
    ["strings.files.gap(path, strings.files.leftOut[gap.why])"],
  ])("is in the user's language in %s", (code) => {
    expect(faults(code)).toEqual([]);
  });
});

describe("the words of a text", () => {
  it("are pairs with only spaces between them", () => {
    expect(pairsIn("This session was closed. Now it is a log")).toEqual([
      "this session",
      "session was",
      "was closed",
      "now it",
      "it is",
    ]);
  });

  it("are read from a regular expression", () => {
    expect(pairsIn(wordsOf("^No such\\s+file\\b: [a-z ]+ was? gone"))).toEqual(["no such", "such file"]);
    expect(pairsIn(wordsOf("\\[Exit code (\\d+)[\\] a-z]"))).toEqual(["exit code"]);
  });
});
