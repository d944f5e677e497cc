import { heard } from "../../../../app/context.ts";
import {
  canClean,
  findInHome,
  forgetInHome,
  type HomeFinding,
  type Searched as SearchedHome,
} from "../../../../app/forget.ts";
import { openGround } from "../../../../app/sessions/store.ts";
import {
  type ForgetReport,
  isNothing,
  nothingToForget,
  tryToForget,
} from "../../../../machine/forget/perform-forget.ts";
import { type Finding, type ForgetPlan, planForget } from "../../../../machine/forget/plan-forget.ts";
import type { ForgetWish } from "../../../../machine/forget/request.ts";
import type { ForgettableFiles } from "../../../../ports/snapshot-objects.ts";
import { requireConsent } from "../../../ask.ts";
import { defineCommand, flag, optional, text } from "../../../command.ts";
import type { ExitCode } from "../../../exit.ts";
import type { Frame } from "../../../frame.ts";
import { openProgress } from "../../../output.ts";
import {
  filesLines,
  filesWarnings,
  homeLines,
  homeWarnings,
  leftLines,
  nameWarnings,
  otherWarnings,
} from "./files-text.ts";
import { type KeptByHosts, keptByHosts, keptLines } from "./kept-by-hosts.ts";
import { type Searched, wishOf } from "./wish-of.ts";

export const forget = defineCommand({
  description:
    "Removes a leaked secret from all sessions, branches that were left and the trash included, and leaves [forgotten] " +
    "in its place; and erases every version of a file that has it from all snapshots, whole, so that it cannot be restored " +
    "any more. The one command that changes what was written; it cannot be undone. A text is forgotten exactly as it is " +
    "given; of a file or folder (--path), what tools were told and have told about it, and what snapshots have of it. " +
    "Files that the Claude Agent SDK keeps of its own are named, and left alone.",
  input: "secret",
  arguments: {
    text: optional("the text to forget; - reads it from a pipe, so that it is in no shell's history"),
  },
  options: {
    text: text("<text>", "the text to forget, also when it looks like a file"),
    path: text("<file>", "the file to forget"),
    dryRun: flag("show where it is, and change nothing"),
    yes: flag("do not ask for agreement"),
  },
  examples: [
    { command: "worldline forget --path .env --dry-run", meaning: "which sessions have it from a tool" },
    { command: 'worldline forget "hunter2, my password"', meaning: "a text; asks before it does it" },
    {
      command: 'read -rs S; printf %s "$S" | worldline forget - --yes',
      meaning: "a secret, typed without showing it",
    },
  ],
  run: async ({ arguments: { text: argument }, options, frame }): Promise<ExitCode> => {
    const { store, ...rest } = await openGround(frame);
    return withForgettableFiles(frame, async (files) => {
      const given = { argument, text: options.text, path: options.path };
      const plan = await planOf(frame, { store, files }, given);
      if (options.dryRun) {
        answerPlan(frame, plan, await keptByHosts(frame, plan.hostSessions));
        return 0;
      }
      await agree(frame, plan, options.yes ? "given" : "absent");
      const { takeOver } = frame.common;
      const request = { name: "worldline forget", waitMs: 0, takeOver, room: "reserve", files } as const;
      const report = await heard(frame, async () => tryToForget({ store, ...rest }, plan.wish, request));
      // Last, because all that may refuse has not refused by now: then nothing at all was changed.
      const sessions = [...report.sessions, ...report.inTrash].map(({ session }) => session);
      const inHome = await forgetInHome(searchedHome(frame), plan.wish, sessions);
      const left = placesLeft(frame, report, inHome);
      const elsewhere = inHome.others.length + report.files.inNames;
      if (isNothing(report) && !canClean(inHome) && elsewhere === 0) throw nothingToForget(plan.wish, report);
      const kept = await keptByHosts(frame, report.hostSessions);
      return answerReport(frame, { wish: plan.wish, report, kept, inHome, left });
    });
  },
});

type Plan = ForgetPlan & { readonly inHome: HomeFinding };

function searchedHome({ home, common: { store } }: Frame): SearchedHome {
  return { home, store };
}

async function withForgettableFiles<Result>(
  frame: Frame,
  work: (files: ForgettableFiles) => Promise<Result>,
): Promise<Result> {
  const { values } = await frame.settings();
  const { openForgettableFiles } = await import("../../../../open-files.ts");
  const waitMs = values["lock.waitMs"];
  const files = openForgettableFiles({
    home: frame.home,
    name: "worldline forget",
    waitMs,
    takeOver: frame.common.takeOver,
  });
  try {
    return await work(files);
  } finally {
    files.close();
  }
}

async function planOf(frame: Frame, searched: Searched, given: Parameters<typeof wishOf>[2]): Promise<Plan> {
  const progress = openProgress(frame);
  progress.show(frame.strings.forget.searching);
  try {
    const wish = await wishOf(frame, searched, given);
    const plan = await planForget(searched.store, wish, searched.files);
    return { ...plan, inHome: await findInHome(searchedHome(frame), wish) };
  } finally {
    progress.clear();
  }
}

/** Where there is nothing to forget nobody is asked: carrying it out says so. */
async function agree(frame: Frame, plan: Plan, yes: "given" | "absent"): Promise<void> {
  const { output, strings } = frame;
  const { findings, inTrash, files, inHome } = plan;
  if (findings.length + inTrash.length + files.contents + files.labels === 0 && !canClean(inHome)) return;
  if (yes === "absent" && output.mode === "text")
    for (const line of planLines(frame, plan)) output.notice(line);
  const { contents, labels } = files;
  const { typed, outputs } = inHome;
  const question = strings.forget.question({
    ...{ sessions: findings.length, times: timesOf(findings), inTrash: inTrash.length },
    ...{ contents, labels, typed, outputs },
  });
  await requireConsent({ question, yes }, frame);
}

function answerPlan(frame: Frame, plan: Plan, kept: KeptByHosts): void {
  const { forget: words } = frame.strings;
  const { findings, inTrash, unseen, hostSessions, files, inHome } = plan;
  const found = { sessions: findings, inTrash, unseen, hostSessions, keptByHosts: kept.paths, files, inHome };
  frame.output.answer({ ...wishDocument(plan.wish), ...found, changed: false }, () =>
    [...planLines(frame, plan), ...keptLines(words, kept), words.dryRun].join("\n"),
  );
}

function planLines({ strings: { forget: words } }: Frame, plan: Plan): string[] {
  const { findings, inTrash, unseen, files, wish, inHome } = plan;
  const found = [
    ...findings.map(findingLine(words)),
    ...filesLines(words, wish, files),
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
  readonly wish: ForgetWish;
  readonly report: ForgetReport;
  readonly kept: KeptByHosts;
  readonly inHome: HomeFinding;
  /** Why it may still be in the home. */
  readonly left: readonly string[];
}

/** Where it still is, or may be, in what Worldline keeps. */
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

function answerReport(frame: Frame, { wish, report, kept, inHome, left }: Done): ExitCode {
  const { output, strings } = frame;
  const { forget: words } = strings;
  const { sessions, inTrash, files } = report;
  const all = [...sessions, ...inTrash];
  for (const warning of [...otherWarnings(words, files), ...left]) output.warn(warning);
  const document = { ...wishDocument(wish), ...report, inHome, keptByHosts: kept.paths };
  const changed = !isNothing(report) || canClean(inHome);
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

function wishDocument(wish: ForgetWish) {
  return wish.what === "path" ? wish : { what: wish.what };
}

function timesOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { times }) => sum + times, 0);
}
