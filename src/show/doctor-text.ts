import type { Check, Finding } from "../app/doctor/check.ts";
import { oneLine } from "../record/visible-text.ts";
import type { Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { remarkText } from "../strings/wording.ts";
import { settingsText, settledText } from "./notice-text.ts";
import type { Style } from "./style.ts";

interface DoctorWords {
  readonly strings: Strings;
  /** The wording of problems and hints, which name commands as the reader would type them. */
  readonly wording: Wording;
}

/** A check in the user's language. */
export interface ShownCheck extends Pick<Check, "about" | "status" | "fixable"> {
  readonly message: string;
  readonly hint?: string;
}

export function shownCheck(
  { about, status, finding, of, hint, fixable }: Check,
  words: DoctorWords,
): ShownCheck {
  const { doctor } = words.strings;
  const message = findingText(finding, words);
  const advice =
    hint !== undefined
      ? findingText(hint, words, "with-hint")
      : finding.code === "problem"
        ? words.wording.hint(finding.problem)
        : "";
  return {
    about,
    status,
    message: of === undefined ? message : doctor.about(of.session, of.place, message),
    ...(advice === "" ? {} : { hint: advice }),
    ...(fixable === undefined ? {} : { fixable }),
  };
}

function findingText(
  finding: Finding,
  { strings, wording }: DoctorWords,
  hint: "with-hint" | "without-hint" = "without-hint",
): string {
  const { doctor, hosts, sessionsHere } = strings;
  switch (finding.code) {
    case "remarks":
      return finding.remarks.map((each) => remarkText(strings, each, wording)).join(doctor.betweenSentences);
    case "problem": {
      const { problem } = finding;
      const message = wording.message(problem);
      return hint === "with-hint" ? `${message} ${wording.hint(problem)}`.trim() : message;
    }
    case "setting":
      return settingsText(finding.warning, strings);
    case "restore":
      return settledText(finding.restore, strings);
    case "metadata":
      return doctor.metadata[finding.why];
    case "lock": {
      const { name, pid, host } = finding.owner;
      return doctor[finding.lock](sessionsHere.owner(name, pid, host));
    }
    case "sdkReady":
    case "sdkUnknown":
      return hosts[finding.code](...finding.given);
    default: {
      const words: string | ((...given: never[]) => string) = doctor[finding.code];
      // A finding's parameters always match its message, but TypeScript cannot express this for the union of all
      // findings.
      return typeof words === "string" ? words : words(...(finding.given as readonly unknown[] as never[]));
    }
  }
}

const STATUS_COLUMNS = 7;

/** Returns a line for each check, with its hint below it, and a summary. */
export function doctorText(
  checks: readonly ShownCheck[],
  { style, strings: { doctor: words } }: { readonly style: Style; readonly strings: Strings },
): string {
  const paints = {
    ok: style.dim,
    note: style.dim,
    warning: style.yellow,
    error: style.red,
    fixed: style.bold,
  };
  const lines = checks.flatMap(({ status, message, hint }) => [
    `${paints[status](words.statuses[status].padEnd(STATUS_COLUMNS))}  ${oneLine(message)}`,
    ...(hint === undefined ? [] : [`${" ".repeat(STATUS_COLUMNS)}  ${style.dim(oneLine(hint))}`]),
  ]);
  const [errors, warnings] = [count(checks, "error"), count(checks, "warning")];
  const fixable = checks.filter((check) => check.fixable === true).length;
  return [
    ...lines,
    "",
    errors + warnings === 0 ? words.fine : words.summary(errors, warnings),
    ...(fixable === 0 ? [] : [words.canFix(fixable)]),
  ].join("\n");
}

function count(checks: readonly ShownCheck[], status: Check["status"]): number {
  return checks.filter((check) => check.status === status).length;
}
