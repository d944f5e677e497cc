import type { JsonObject } from "../../record/parts.ts";
import { readShellEnd, shellEndText } from "../../timeline/calls.ts";
import type { Candidate } from "./candidates.ts";
import { type Answered, noteLine, type Purpose, type Reading } from "./read-context.ts";

/** The next action: a tool call, or the final answer. */
type Decision =
  | { readonly do: "call"; readonly name: string; readonly input: JsonObject; readonly purpose: Purpose }
  | { readonly do: "say"; readonly text: string };

interface Known {
  readonly reading: Reading;
  readonly candidates: readonly Candidate[];
  /** Names of the available tools. */
  readonly tools: ReadonlySet<string>;
}

const ABILITIES =
  "I work without a model and can do only one thing: find the change that broke a test. " +
  "Tell me which test, for example: find what broke: `npm test`";

/** Decides what to do next. Pure: the same context always leads to the same decision. */
export function decide(known: Known): Decision {
  const { reading, tools } = known;
  const command = testCommandIn(reading.prompt);
  if (command === undefined) return say(ABILITIES);
  if (!tools.has("Bash")) return say("I cannot run the test, because the Bash tool is not available.");
  const step = new Step(known, command);
  const last = reading.answered.at(-1);
  return last === undefined ? step.test("ask", "") : step.after(last);
}

function say(text: string): Decision {
  return { do: "say", text };
}

/**
 * Exit codes of a test that could not be run, or that cannot judge this state. The codes are the same as for `git
 * bisect run`.
 */
const UNTESTED_CODES: ReadonlySet<number> = new Set([125, 126, 127]);

/** Returns the result of a test run. Only an exit code from the test itself counts as a result. */
function verdictOf({ outcome, text }: Answered): "green" | "red" | "unjudged" {
  if (outcome === "ok") return "green";
  if (outcome !== "error") return "unjudged";
  const end = readShellEnd(text);
  if (end === undefined) return "unjudged";
  return end.ended === "exited" && UNTESTED_CODES.has(end.code) ? "unjudged" : "red";
}

class Step {
  readonly #known: Known;
  readonly #command: string;

  constructor(known: Known, command: string) {
    this.#known = known;
    this.#command = command;
  }

  after(last: Answered): Decision {
    const candidate = this.#known.candidates.find(({ id }) => id === last.candidate);
    if (last.aim === "ask") return this.#asked(last);
    if (candidate === undefined)
      return say("Cannot tell: I no longer have any information about the change that I was testing.");
    switch (last.aim) {
      case "read":
        return last.outcome === "ok" ? this.#apply(candidate, last.from) : this.#next(candidate, last);
      case "apply":
        return last.outcome === "ok"
          ? this.test("test", candidate.id, last.from)
          : this.#next(candidate, last);
      case "test":
      case "again":
        return this.#tested(candidate, last);
      case "back":
        // A backtrack that is carried out disappears from the context. This one is still there, so it was refused.
        return this.#revert(candidate, last);
      case "revert":
        return this.#reverted(candidate, last);
      default:
        return last.aim satisfies never;
    }
  }

  test(aim: "ask" | "test" | "again", candidate: string, from = this.#here()): Decision {
    return this.#call("Bash", { command: this.#command }, { aim, candidate, from });
  }

  #asked(last: Answered): Decision {
    const verdict = verdictOf(last);
    if (verdict === "green") return say(`\`${this.#command}\` passes now, so there is nothing to find.`);
    if (verdict === "unjudged")
      return say(`Cannot tell: \`${this.#command}\` could not be run. ${ending(last.text)}`);
    const { candidates, reading } = this.#known;
    const flaky = [...reading.noted.values()].find((line) => line.endsWith(FLAKY));
    if (flaky !== undefined)
      return say(`Cannot tell: the test is flaky. Without ${bare(flaky)}. The files are as they were.`);
    const next = candidates.find(({ id }) => !reading.noted.has(id));
    if (next === undefined) return this.#exhausted();
    const { how } = next;
    const needsReading = how.do === "edit" || (how.do === "write" && how.was !== undefined);
    const purpose = { aim: "read", candidate: next.id, from: this.#here() } as const;
    return needsReading
      ? this.#call("Read", { file_path: next.path }, purpose)
      : this.#apply(next, this.#here());
  }

  #exhausted(): Decision {
    const { noted } = this.#known.reading;
    if (noted.size === 0)
      return say("Cannot tell: the test fails, but I know of no change that I could undo.");
    const tried = [...noted.values()].map((line) => `- ${bare(line)}`);
    return say(
      ["Cannot tell: undoing any one of these changes does not make the test pass.", ...tried].join("\n"),
    );
  }

  #apply({ id, path, how }: Candidate, from: number): Decision {
    const purpose = { aim: "apply", candidate: id, from } as const;
    switch (how.do) {
      case "edit":
        return this.#call("Edit", { file_path: path, old_string: how.old, new_string: how.now }, purpose);
      case "write":
        return this.#call("Write", { file_path: path, content: how.content }, purpose);
      case "remove":
        return this.#call("Bash", { command: `rm -- ${quoted(path)}` }, purpose);
      case "command":
        return this.#call("Bash", { command: how.command }, purpose);
      default:
        return how satisfies never;
    }
  }

  #tested(candidate: Candidate, last: Answered): Decision {
    const verdict = verdictOf(last);
    if (verdict !== "green") return this.#next(candidate, last);
    if (last.aim === "test") return this.test("again", candidate.id, last.from);
    return say(
      `Found: ${candidate.about}. With this change, \`${this.#command}\` fails; without it, the test passed twice. I undid the change on disk and changed nothing else.`,
    );
  }

  /**
   * Backtracks to the checkpoint before the try and restores the files. The note lists everything that has been tried.
   */
  #next(candidate: Candidate, last: Answered): Decision {
    const { reading, tools } = this.#known;
    if (!tools.has("Backtrack")) return this.#revert(candidate, last);
    const lines = [...reading.noted.values()].map((line) => `- ${line}`);
    const note = [
      `Looking for the change that makes \`${this.#command}\` fail. Changes that I undid one at a time and then restored:`,
      ...lines,
      noteLine(candidate.id, candidate.about, outcomeText(last)),
    ].join("\n");
    const input = { checkpoint_id: last.from, note, files: "restore" };
    return this.#call("Backtrack", input, { aim: "back", candidate: candidate.id, from: last.from });
  }

  /** Reverts the change with tools and ends the search, because the backtrack was refused. */
  #revert({ id, path, how }: Candidate, last: Answered): Decision {
    const { answered } = this.#known.reading;
    const isApplied = answered.some(
      ({ aim, candidate, outcome }) => aim === "apply" && candidate === id && outcome === "ok",
    );
    if (!isApplied) return say(stopped(last));
    const purpose = { aim: "revert", candidate: id, from: last.from } as const;
    if (how.do === "edit") {
      return this.#call("Edit", { file_path: path, old_string: how.now, new_string: how.old }, purpose);
    }
    if (how.do === "command") return this.#call("Bash", { command: how.back }, purpose);
    if (how.was !== undefined) return this.#call("Write", { file_path: path, content: how.was }, purpose);
    return this.#call("Bash", { command: `rm -- ${quoted(path)}` }, purpose);
  }

  #reverted(candidate: Candidate, last: Answered): Decision {
    const refused = this.#known.reading.answered.findLast(({ aim }) => aim === "back") ?? last;
    if (last.outcome === "ok") return say(stopped(refused));
    return say(`${stopped(refused)} I could not restore ${candidate.about}: ${ending(last.text)}`);
  }

  #call(name: string, input: JsonObject, purpose: Purpose): Decision {
    return { do: "call", name, input, purpose };
  }

  #here(): number {
    return this.#known.reading.checkpoint ?? 0;
  }
}

/** Text in the worker's notes about a test that contradicted itself. After such a note, the search ends. */
const FLAKY = "the test passed once and then did not";

/** Removes the candidate's id from a line in a note, because users do not need it. */
function bare(line: string): string {
  return line.replace(/^\[\S+\] /u, "");
}

function outcomeText(last: Answered): string {
  if (last.aim === "again") return FLAKY;
  if (last.aim === "test") {
    const end = readShellEnd(last.text);
    return verdictOf(last) === "red" && end !== undefined
      ? `the test still fails ${shellEndText(end) ?? ""}`.trimEnd()
      : `the test could not be run (${ending(last.text)})`;
  }
  return `could not be tested (${ending(last.text)})`;
}

function stopped({ aim, text }: Answered): string {
  const why = aim === "back" ? `the backtrack was refused: ${ending(text)}` : "I cannot backtrack here.";
  return `Cannot tell: a guess was wrong, and ${why}`;
}

const MAX_QUOTED = 200;

/** Returns the end of a tool's output on one line. The end usually states what went wrong. */
function ending(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > MAX_QUOTED ? `… ${line.slice(-MAX_QUOTED)}` : line;
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the test command that a prompt contains in backticks, after `--`, or after the last colon in a line. */
export function testCommandIn(prompt: string): string | undefined {
  const quoted = /`([^`\n]+)`/u.exec(prompt)?.[1];
  const behindDashes = /(?:^|\s)--\s+(\S[^\n]*)/u.exec(prompt)?.[1];
  // A colon within a word, as in a URL, does not count.
  const afterColon = /:[ \t]+([^\n:]*\S)\s*$/u.exec(prompt)?.[1];
  const command = (quoted ?? behindDashes ?? afterColon)?.trim();
  return command === "" ? undefined : command;
}
