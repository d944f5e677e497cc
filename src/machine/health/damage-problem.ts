import type { Damage } from "../../ports/log-store.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Problem } from "./problem.ts";

type Verdict = Pick<Problem, "severity" | "hint" | "fix">;

const LOST_FOR_GOOD = "It cannot be brought back from here; the rest of the session is not affected.";

const verdicts: Readonly<Record<Damage["what"], Verdict>> = {
  line: {
    severity: "error",
    hint: `${LOST_FOR_GOOD} A copy of the file from elsewhere, such as a backup, may still have this line.`,
    fix: "none",
  },
  missing: { severity: "error", hint: LOST_FOR_GOOD, fix: "none" },
  repeated: { severity: "note", hint: "The first of them counts. There is nothing to do.", fix: "none" },
  "torn-tail": {
    severity: "warning",
    hint: "A crash cut the last write. Setting it aside (it is kept) is done by `worldline doctor --fix`, or when the session is next opened.",
    fix: "recover",
  },
  blob: {
    severity: "error",
    hint: `A long text is lost, and is shown as lost. ${LOST_FOR_GOOD}`,
    fix: "none",
  },
  header: {
    severity: "warning",
    hint: "The first line stands twice, and one of the two is still there. Fork the session to have both again.",
    fix: "none",
  },
  file: { severity: "error", hint: `${LOST_FOR_GOOD} Put the file back if you have it.`, fix: "none" },
};

/** `first`: whether the session's first line can still be read, from the log or from its copy. */
export function damageProblem(session: SessionId, damage: Damage, first: "there" | "lost"): Problem {
  const line = damage.line > 0 ? `line ${damage.line}` : "";
  const where = [damage.file, line].filter((word) => word !== "").join(", ");
  const verdict = damage.what === "header" && first === "lost" ? bothLost(session) : verdicts[damage.what];
  return { session, what: damage.what, where, message: damage.why, ...verdict };
}

function bothLost(session: SessionId): Verdict {
  return {
    severity: "error",
    hint: `The first line of the log is lost too, and with it where the session belongs. What is left can be read: worldline log --session ${session}, and if that is nothing: worldline sessions delete ${session}`,
    fix: "none",
  };
}
