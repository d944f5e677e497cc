import { checkArgument, checkOptions, type OptionKind, type OptionKinds, option } from "../record/options.ts";
import type { BacktrackRequest } from "../travel/backtrack.ts";
import type { CaptureWish, JourneyWish, PreviewWish, RedoWish, RewindWish } from "./files/requests.ts";

/**
 * What callers without types hand to a session, checked before anything is captured or written. Numbers of checkpoints and ids are
 * left to the call itself, which knows those that there are.
 */
const patience = { onProgress: option.callback, signal: option.signal };
const author = option.oneOf("timeline", "outside");
const choice = option.oneOf("keep", "take", "merge");
const journey: OptionKinds<JourneyWish> = {
  ...patience,
  author,
  only: option.listOf(option.text),
  choice,
  choices: { must: { must: "choices" }, holds: isChoices },
};

function isChoices(value: unknown): boolean {
  return value instanceof Map && [...(value as ReadonlyMap<unknown, unknown>).values()].every(choice.holds);
}

export const promptKind: OptionKind = {
  must: { must: "prompt" },
  holds: (value) =>
    (typeof value === "string" && value !== "") ||
    (Array.isArray(value) && value.length > 0 && value.every(option.object.holds)),
};

export function checkRewind(wish: number | RewindWish): void {
  if (typeof wish === "number") return;
  checkOptions<RewindWish>(wish, {
    call: "rewind",
    kinds: {
      ...journey,
      to: option.number,
      scope: option.oneOf("both", "conversation", "files"),
      through: option.object,
    },
    needed: ["to", "scope"],
  });
}

export function checkRedo(wish: unknown): void {
  if (typeof wish === "string") return;
  checkOptions<RedoWish>(wish, {
    call: "redo",
    kinds: { ...journey, wanted: option.text, scope: option.oneOf("both", "conversation", "files") },
  });
}

type AnyPreview = JourneyWish & {
  readonly to?: number;
  readonly through?: unknown;
  readonly journey?: string;
};

export function checkPreview(wish: PreviewWish): void {
  checkOptions<AnyPreview>(wish, {
    call: "previewFiles",
    kinds: { ...journey, to: option.number, through: option.object, journey: option.text },
  });
}

export function checkCapture(wish: CaptureWish): void {
  checkOptions<CaptureWish>(wish, {
    call: "capture",
    kinds: {
      ...patience,
      checkpoint: option.ordinal,
      author,
      ran: option.callback,
      look: option.either(option.oneOf("everything"), option.listOf(option.text)),
    },
    needed: ["checkpoint", "author"],
  });
}

export function checkCheckpoint(wish: Partial<Omit<CaptureWish, "checkpoint">>): void {
  checkOptions<Omit<CaptureWish, "checkpoint">>(wish, {
    call: "checkpoint",
    kinds: {
      ...patience,
      author,
      ran: option.callback,
      look: option.either(option.oneOf("everything"), option.listOf(option.text)),
    },
  });
}

export function checkBacktrack(request: BacktrackRequest): void {
  checkOptions<BacktrackRequest>(request, {
    call: "requestBacktrack",
    kinds: {
      to: option.number,
      note: option.text,
      rationale: option.text,
      files: option.oneOf("keep", "restore"),
    },
    needed: ["to", "note", "files"],
  });
}

interface CompactOptions {
  readonly summary: string;
  readonly keep?: number;
  readonly reason?: string;
  readonly focus?: string;
  readonly by?: object;
}

export function checkCompact(request: CompactOptions): void {
  checkArgument(request, "compact-request", option.object);
  checkOptions<CompactOptions>(request, {
    call: "compact",
    kinds: {
      summary: option.text,
      keep: option.amount,
      reason: option.oneOf("asked", "full", "too-long"),
      focus: option.text,
      by: option.object,
    },
    needed: ["summary"],
  });
}
