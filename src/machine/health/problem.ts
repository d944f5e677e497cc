import type { SessionId } from "../../record/ids.ts";

/** One thing that is not as it should be, said so that a person can act on it. */
export interface Problem {
  readonly session: SessionId;
  /** "error": something is lost. "warning": something will be in the way. "note": good to know. */
  readonly severity: "error" | "warning" | "note";
  readonly what: ProblemKind;
  /** The file and line within the session; empty when it is about the whole. */
  readonly where: string;
  readonly message: string;
  /** What the person can do. */
  readonly hint: string;
  /** "recover": `heal` can do it. "none": nothing can, or only a person. */
  readonly fix: "recover" | "none";
}

type ProblemKind =
  | "blob"
  | "file"
  | "foreign"
  | "header"
  | "line"
  | "missing"
  | "newer-format"
  | "repeated"
  | "torn-tail"
  | "unfinished"
  | "unopenable";

/** The same fault again, whatever line it has come to stand on since. */
export function isSameProblem(one: Problem, other: Problem): boolean {
  return one.session === other.session && one.what === other.what && one.where === other.where;
}
