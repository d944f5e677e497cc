import type { FilesOutcome, FilesPreview } from "../machine/files/requests.ts";
import type { Owner } from "../ports/lease.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { PathChange } from "../record/files.ts";
import type { Recap } from "../timeline/recap.ts";
import type { KeptPath } from "../travel/plan-files.ts";
import type { ModelsLookedFor } from "./agent/open-model.ts";
import type { SessionClaims } from "./sessions/confirm-session.ts";
import type { Source } from "./settings/table.ts";

/** What users know a checkpoint by. */
export type NamedPlace =
  /** The step of a program. */
  | { readonly execution: string; readonly step: string }
  | {
      readonly number: number;
      readonly at: number;
      readonly label?: string | undefined;
      /** How its prompt begins, or its command with a "!" before it. */
      readonly text?: string | undefined;
      /** "after": made by itself after the command or the turn that `text` is about. */
      readonly on?: "after" | undefined;
    };

/**
 * How a front end words what it shows as one text. The use cases have no language: they hand over the data, and get back
 * the text that stands in their answers. `show/app-words.ts` makes one for a language.
 */
export interface AppWords {
  /** `#12 find the leak`, or `exec-123, step data_processing`. Absent: the beginning of the session. */
  place(place: NamedPlace | undefined): string;
  recap(recap: Recap): string;
  /** A unified diff, one piece for each path. */
  patch(changes: readonly PathChange[], files: Pick<WorkspaceFiles, "content">): AsyncIterable<string>;
  /** Why a path stays as it is. */
  kept(kept: KeptPath, preview: FilesPreview): string;
  /** What else there is to know after another agent took the files back. */
  restoredThrough(outcome: FilesOutcome): readonly string[];
  /** Where git's HEAD is, where it is nowhere. */
  readonly noHead: string;
  /** A session without a title of its own. `isFork`: it has its source's. */
  sessionTitle(
    title: string,
    about: { readonly isFork: boolean; readonly mode: string; readonly id: string },
  ): string;
  /** Undefined: a lock that cannot be read. */
  holder(owner: Owner | undefined): string;
  claims(claims: SessionClaims): readonly string[];
  lookedFor(models: ModelsLookedFor): readonly string[];
  source(source: Source): string;
  folderGone(folder: string): string;
  /** A command for a shell that finds the same sessions: `redo` is `worldline redo`, with the store where it was named. */
  shellCommand(words: string): string;
}
