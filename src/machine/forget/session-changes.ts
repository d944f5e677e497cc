import type { LogStore, Scrap } from "../../ports/log-store.ts";
import type { Entry } from "../../record/entry.ts";
import { type BlobHash, type Seq, type SessionId, toSeq } from "../../record/ids.ts";
import { blobsOf } from "../../record/shape.ts";
import { headerOf, viewSession } from "../open.ts";
import type { SessionView } from "../view.ts";
import { BlobTexts, readBlobText } from "./blob-texts.ts";
import { eachOnce, type HostSession, type HostTrace, hostSessionOf } from "./other-agents.ts";
import { PathEraser } from "./path-eraser.ts";
import type { Erased, Eraser, ForgetRequest } from "./request.ts";
import { TextEraser } from "./text-eraser.ts";
import { eraseFromBytes, TextForms } from "./text-forms.ts";

/** What `forget` would change in one session. */
export interface SessionChanges extends HostTrace {
  /**
   * The changed entries. The record of what was forgotten is added to these entries when the changes are carried out.
   */
  readonly entriesByLine: ReadonlyMap<Seq, Erased>;
  readonly blobs: readonly Uint8Array[];
  readonly times: number;
  /** The first line with the text in a field that cannot be changed; 0 if there is none. */
  readonly structuralLine: number;
  /** "yes": the text is in the id that a program gave to its execution. */
  readonly inExecutionId: "yes" | "no";
  /** Whether some parts of the session cannot be read and therefore cannot be searched. */
  readonly unseen: "nothing" | "something";
}

const PAGE = 500;

export async function changesIn(
  store: LogStore,
  session: SessionId,
  request: ForgetRequest,
): Promise<SessionChanges> {
  const inPrompt = await timesInConfirmedPrompt(store, session, request);
  const logs = store.unchecked ?? store;
  const view = await viewSession(logs, session);
  const texts = new BlobTexts(store, session);
  const eraser =
    request.what === "text"
      ? new TextEraser(request.text, texts)
      : new PathEraser(request.path, view.header.workspace);
  const forms = request.what === "text" ? new TextForms(request.text) : undefined;
  const tally = new Tally(eraser, forms);
  for await (const page of pagesOf(view, logs)) {
    await texts.turnTo(page);
    for (const stored of page) tally.take(stored);
  }
  const loose = forms === undefined ? 0 : await timesInLooseBlobs({ store, session, forms, tally });
  const found = tally.times + loose + inPrompt;
  // If the text is found elsewhere, all scraps are removed anyway. Scraps are therefore searched only if the text is
  // not found elsewhere.
  const scraps = found > 0 ? [] : await store.scraps(session);
  const isUnseen = view.damage.length > 0 || tally.lost > 0 || (forms === undefined && scraps.length > 0);
  return {
    entriesByLine: tally.entriesByLine,
    blobs: texts.toWrite,
    times: found + (forms === undefined ? 0 : timesInScraps(scraps, forms)),
    structuralLine: tally.structuralLine,
    inExecutionId: isInExecutionId(view, forms) ? "yes" : "no",
    unseen: isUnseen ? "something" : "nothing",
    hostSessions: eachOnce(tally.hostSessions),
    ...placeOf(view),
  };
}

/**
 * The system prompt of a confirmed session is stored outside its log. Rewriting the log removes the confirmation and
 * the prompt.
 */
async function timesInConfirmedPrompt(
  store: LogStore,
  session: SessionId,
  request: ForgetRequest,
): Promise<number> {
  const { confirmation, system } = await headerOf(store, session);
  if (request.what !== "text" || confirmation?.state !== "given") return 0;
  return new TextForms(request.text).eraseFrom(system).times;
}

function placeOf({ header: { workspace, task } }: SessionView): Omit<HostTrace, "hostSessions"> {
  return { workspace, ...(task === undefined ? {} : { caller: task.session }) };
}

function isInExecutionId({ header }: SessionView, forms: TextForms | undefined): boolean {
  return forms?.isInLine(JSON.stringify(header.execution?.id ?? "")) ?? false;
}

/**
 * Counts the occurrences of the text in scraps. If a scrap was cut off within the text, it ends with the beginning of
 * the text.
 */
function timesInScraps(scraps: readonly Scrap[], forms: TextForms): number {
  let times = 0;
  for (const { bytes } of scraps) {
    const { erased, times: whole } = forms.eraseFrom(Buffer.from(bytes).toString("utf8"));
    times += whole + (forms.beginningAtEnd(erased) > 0 ? 1 : 0);
  }
  return times;
}

class Tally {
  readonly entriesByLine: Map<Seq, Erased> = new Map();
  readonly pointedTo: Set<BlobHash> = new Set();
  readonly hostSessions: HostSession[] = [];
  times = 0;
  lost = 0;
  structuralLine = 0;
  readonly #eraser: Eraser;
  readonly #forms: TextForms | undefined;

  constructor(eraser: Eraser, forms: TextForms | undefined) {
    this.#eraser = eraser;
    this.#forms = forms;
  }

  take(stored: Entry): void {
    for (const hash of blobsOf(stored)) this.pointedTo.add(hash);
    const erased = this.#eraser.erase(stored);
    this.times += erased.times;
    this.lost += erased.lost;
    if (erased.entry !== stored) this.entriesByLine.set(stored.seq, erased);
    const host = hostSessionOf(erased.entry);
    if (host !== undefined) this.hostSessions.push(host);
    const isStill = this.#forms?.isInLine(JSON.stringify(erased.entry)) ?? false;
    if (isStill && this.structuralLine === 0) this.structuralLine = stored.seq;
  }
}

async function* pagesOf(view: SessionView, store: LogStore): AsyncGenerator<readonly Entry[]> {
  for (let from = 1; from <= view.outline.length; from += PAGE) {
    yield await store.read(view.id, toSeq(from), toSeq(Math.min(from + PAGE - 1, view.outline.length)));
  }
}

/**
 * Counts the occurrences in blobs that no entry refers to. A failed append may leave an unreferenced blob, which is
 * removed when the session is rewritten.
 */
async function timesInLooseBlobs({
  store,
  session,
  forms,
  tally,
}: {
  readonly store: LogStore;
  readonly session: SessionId;
  readonly forms: TextForms;
  readonly tally: Tally;
}): Promise<number> {
  let times = 0;
  for (const hash of await store.listBlobs(session)) {
    if (tally.pointedTo.has(hash)) continue;
    const blob = await readBlobText(store, session, hash);
    if (blob.state === "damaged") tally.lost += 1;
    if (blob.state === "whole") {
      times += eraseFromBytes(blob.text, forms).times + forms.eraseFrom(blob.text).times;
    }
  }
  return times;
}
