import {
  forget as forgetEverywhere,
  type KeptByHosts,
  type PlannedForget,
  removesNothing,
} from "../../app/forget/forget.ts";
import type { HomeFinding } from "../../app/forget/in-home.ts";
import type { ForgetReport } from "../../machine/forget/perform-forget.ts";
import type { FilesFinding, Finding, ForgottenFiles } from "../../machine/forget/plan-forget.ts";
import type { ForgetRequest } from "../../machine/forget/request.ts";
import { oneLine } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { requireConsent } from "../ask.ts";
import { defineCommand, flag, optional, text } from "../command.ts";
import type { ExitCode } from "../exit.ts";
import type { Frame } from "../frame.ts";
import { openProgress } from "../output.ts";
import { readStandardInput } from "../standard-input.ts";

export const forget = defineCommand({
  help: (help) => help.forget,
  input: "secret",
  arguments: {
    text: optional(),
  },
  options: {
    text: text("<text>"),
    path: text("<file>"),
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { text: argument }, options, frame }): Promise<ExitCode> => {
    const progress = openProgress(frame);
    const forgotten = await forgetEverywhere(frame, {
      given: {
        argument,
        text: options.text,
        path: options.path,
        readPiped: async (maxBytes) => readStandardInput(frame, { maxBytes, piped: "secret" }),
      },
      onSearch: (state) => {
        if (state === "begun") progress.show(frame.strings.forget.searching);
        else progress.clear();
      },
      decide: async (plan) => {
        if (options.dryRun) return "keep";
        await agree(frame, plan, options.yes ? "given" : "absent");
        return "forget";
      },
    });
    const { plan, kept, done } = forgotten;
    if (done !== undefined) return answerReport(frame, { request: plan.request, kept, ...done });
    answerPlan(frame, plan, kept);
    return 0;
  },
});

/**
 * Asks the user for consent. If nothing would be removed, the user is not asked, and `forget` runs and reports that it
 * found nothing.
 */
async function agree(frame: Frame, plan: PlannedForget, yes: "given" | "absent"): Promise<void> {
  if (removesNothing(plan)) return;
  const { output, strings } = frame;
  if (yes === "absent" && output.mode === "text")
    for (const line of planLines(frame, plan)) output.notice(line);
  const { findings, inTrash, files, inHome } = plan;
  const { contents, labels } = files;
  const { typed, outputs } = inHome;
  const question = strings.forget.question({
    ...{ sessions: findings.length, times: timesOf(findings), inTrash: inTrash.length },
    ...{ contents, labels, typed, outputs },
  });
  await requireConsent({ question, yes }, frame);
}

function answerPlan(frame: Frame, plan: PlannedForget, kept: KeptByHosts): void {
  const { forget: words } = frame.strings;
  const { findings, inTrash, unseen, hostSessions, files, inHome } = plan;
  const found = { sessions: findings, inTrash, unseen, hostSessions, keptByHosts: kept.paths, files, inHome };
  frame.output.answer({ ...requestDocument(plan.request), ...found, changed: false }, () =>
    [...planLines(frame, plan), ...keptLines(words, kept), words.dryRun].join("\n"),
  );
}

function planLines({ strings: { forget: words } }: Frame, plan: PlannedForget): string[] {
  const { findings, inTrash, unseen, files, request, inHome } = plan;
  const found = [
    ...findings.map(findingLine(words)),
    ...filesLines(words, request, files),
    ...homeLines(words, inHome),
  ];
  return [
    ...(found.length === 0 ? [words.foundNowhere] : found),
    ...filesWarnings(words, files),
    ...homeWarnings(words, inHome),
    ...(inTrash.length === 0 ? [] : [words.trashToo(inTrash.length)]),
    ...(unseen.length === 0 ? [] : [words.unseen(unseen.join(", "))]),
  ];
}

interface Done {
  readonly request: ForgetRequest;
  readonly report: ForgetReport;
  readonly kept: KeptByHosts;
  readonly inHome: HomeFinding;
  readonly changed: boolean;
}

/** Lists the places in Worldline's data that still contain the text or may contain it. */
function placesLeft(
  { strings: { forget: words } }: Frame,
  report: ForgetReport,
  inHome: HomeFinding,
): string[] {
  const { left, keptInTrash, unseen, files, notScrubbed } = report;
  return [
    ...(unseen.length > 0 ? [words.unseen(unseen.join(", "))] : []),
    ...(left.length > 0 ? [words.left(left.map(({ session }) => session).join(", "))] : []),
    ...(keptInTrash.length > 0 ? [words.keptInTrash(keptInTrash.join(", "))] : []),
    ...(notScrubbed === undefined ? [] : [words.notScrubbed(notScrubbed)]),
    ...nameWarnings(words, files),
    ...leftLines(words, files),
    ...homeWarnings(words, inHome),
  ];
}

function answerReport(frame: Frame, { request, report, kept, inHome, changed }: Done): ExitCode {
  const { output, strings } = frame;
  const left = placesLeft(frame, report, inHome);
  const { forget: words } = strings;
  const { sessions, inTrash, files } = report;
  const all = [...sessions, ...inTrash];
  for (const warning of [...otherWarnings(words, files), ...left]) output.warn(warning);
  const document = { ...requestDocument(request), ...report, inHome, keptByHosts: kept.paths };
  output.answer({ ...document, changed, outOfReach: words.outOfReach }, () =>
    [
      ...(all.length === 0 ? [] : [words.forgotten(timesOf(all), all.length)]),
      ...sessions.map(findingLine(words)),
      ...inTrash.map((finding) => words.inTrash(findingLine(words)(finding))),
      ...(files.contents === 0 ? [] : [words.erased(files.erased, files.snapshots)]),
      ...(files.labels === 0 ? [] : [words.erasedLabels(files.labels)]),
      ...(inHome.typed === 0 ? [] : [words.typed(inHome.typed)]),
      ...(inHome.outputs === 0 ? [] : [words.removedOutputs(inHome.outputs)]),
      ...keptLines(words, kept),
      words.outOfReach,
    ].join("\n"),
  );
  return left.length === 0 ? 0 : 1;
}

function findingLine(words: Frame["strings"]["forget"]): (finding: Finding) => string {
  return ({ session, entries, times }) => words.found(session, entries, times);
}

function requestDocument(request: ForgetRequest) {
  return request.what === "path" ? request : { what: request.what };
}

function timesOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { times }) => sum + times, 0);
}

type Words = Strings["forget"];

const MAX_SHOWN = 20;

/**
 * Lists the files in snapshots that will be erased. For a path, this includes other paths with the same content,
 * because their content is erased too.
 */
function filesLines(words: Words, request: ForgetRequest, files: FilesFinding): string[] {
  const labels = files.labels === 0 ? [] : [words.inLabels(files.labels)];
  if (files.contents === 0) return labels;
  const isRequested = (place: string): boolean =>
    request.what === "path" && (place === request.path || place.startsWith(`${request.path}/`));
  const requested = files.places.filter(isRequested);
  const others = files.places.filter((place) => !isRequested(place));
  return [
    words.inFiles(files.contents, files.snapshots),
    ...listed(words, requested),
    ...(request.what === "path" && others.length > 0 ? [words.alsoAt] : []),
    ...listed(words, others),
    ...labels,
  ];
}

function homeLines(words: Words, { typed, outputs }: HomeFinding): string[] {
  return [
    ...(typed === 0 ? [] : [words.inTyped(typed)]),
    ...(outputs === 0 ? [] : [words.inOutputs(outputs)]),
  ];
}

/** Lists the places that are left unchanged because they belong to the user or cannot be searched. */
function homeWarnings(words: Words, { others, unreadable, databases }: HomeFinding): string[] {
  return [
    ...(others.length === 0 ? [] : [words.inOthers(oneLine(few(words, others)))]),
    ...(unreadable.length === 0 ? [] : [words.unreadableInHome(oneLine(few(words, unreadable)))]),
    ...(databases.length === 0 ? [] : [words.otherDatabases(oneLine(few(words, databases)))]),
  ];
}

/** Returns warnings about traces that are not removed. */
function filesWarnings(words: Words, files: FilesFinding): string[] {
  return [...otherWarnings(words, files), ...nameWarnings(words, files)];
}

/**
 * Returns warnings about files in the workspace that still contain the text, and about snapshots with too many places
 * to list.
 */
function otherWarnings(words: Words, { inWorkspace, unlisted }: FilesFinding): string[] {
  return [
    ...(inWorkspace.length === 0 ? [] : [words.inWorkspace(oneLine(few(words, inWorkspace)))]),
    ...(unlisted.length === 0 ? [] : [words.unlisted(few(words, unlisted))]),
  ];
}

function nameWarnings(words: Words, { inNames, unreadable }: FilesFinding): string[] {
  return [
    ...(inNames === 0 ? [] : [words.inNames(inNames)]),
    ...(unreadable === 0 ? [] : [words.unreadableFiles(unreadable)]),
  ];
}

function leftLines(words: Words, { left }: ForgottenFiles): string[] {
  return left.map(({ contents, why, by }) =>
    why === "held" ? words.held(contents, oneLine(by ?? "")) : words.damagedBeside(contents),
  );
}

function listed(words: Words, places: readonly string[]): string[] {
  const more = places.length - MAX_SHOWN;
  return [
    ...places.slice(0, MAX_SHOWN).map((place) => words.place(oneLine(place))),
    ...(more > 0 ? [words.place(words.more(more))] : []),
  ];
}

function few(words: Words, places: readonly string[]): string {
  const more = places.length - MAX_SHOWN;
  return [...places.slice(0, MAX_SHOWN), ...(more > 0 ? [words.more(more)] : [])].join(", ");
}

/** Lists the files of other agents whose sessions contained the text. */
function keptLines(words: Words, { home, sessions, paths }: KeptByHosts): readonly string[] {
  if (sessions.length === 0) return [];
  if (paths.length === 0) return [words.notKeptByClaude(oneLine(home), oneLine(sessions.join(", ")))];
  return [words.keptByClaude(oneLine(home)), ...paths.map((path) => words.place(oneLine(path)))];
}
