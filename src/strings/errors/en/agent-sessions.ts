import { type ErrorCode, error, type Problem } from "../texts.ts";

interface Session {
  readonly session: string;
}

/** Who has a session; `since`: in the user's own time. */
interface Held extends Session {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const heldBy = ({ session, name, pid, host, since }: Held) =>
  `Session ${session} is held by ${name} (pid ${pid} on ${host}, since ${since})`;
const inACopy = (session: string, command: (words: string) => string) =>
  `go on in a copy: ${command(`-r ${session} --fork`)}`;
const contextStays = () => "The context stays as it was.";

/** The errors of working with an agent in a session: opening it, going on with it, its turns, its context. */
export const agentSessions = {
  "execution-not-conversation": error(
    "INPUT_INVALID",
    ({ id }: Session & { readonly id: string }) =>
      `${id} is the execution of a program, and no conversation.`,
    ({ session }, { command }) =>
      `The program goes on with it when it is started again. See its steps: ${command(`executions show ${session}`)}`,
  ),
  "confirmation-not-needed": error("INPUT_INVALID", () => "This store needs no confirmation."),
  "session-held": error(
    "SESSION_HELD",
    (held: Held) => `${heldBy(held)}.`,
    ({ session }, { command }) => `Close it there, or ${inACopy(session, command)}`,
  ),
  "session-leased": error(
    "SESSION_HELD",
    ({ until, ...held }: Held & { readonly until: string }) =>
      `${heldBy(held)}; its lease runs until ${until}, unless it is renewed.`,
    ({ session }, { command }) =>
      `Close it there; if it died, wait until then; or ${inACopy(session, command)}`,
  ),
  "session-held-elsewhere": error(
    "SESSION_HELD",
    ({ problem }: Session & { readonly problem: Problem }, { message }) => message(problem),
    ({ session, problem }, { command, hint }) => `${hint(problem)} Or ${inACopy(session, command)}`.trim(),
  ),
  "session-not-closed": error(
    "STORE_UNWRITABLE",
    ({ why }: { readonly why: string }) => `The session could not be closed in order: ${why}`,
    (_, { command }) => `See what is wrong: ${command("doctor")}`,
  ),
  "turn-has-ended": error(
    "INPUT_INVALID",
    (_: Session) => "The last turn has ended: there is nothing to go on with.",
    ({ session }, { command }) => `Say what to do next: ${command(`resume ${session} "..."`)}`,
  ),
  "one-way-to-go-on": error(
    "USAGE",
    () => "A session can go on in one way only.",
    () => "Give one of --continue, --retry, --rewind-files and a prompt.",
  ),
  "files-before-step-not-captured": error(
    "REWIND_REFUSED",
    ({ step }: Session & { readonly step: number; readonly older?: number }) =>
      `The files before step #${step} were not captured.`,
    ({ session, older }, { command }) =>
      older === undefined
        ? `No earlier checkpoint has them either. Look at what is there: ${command("checkpoints")}`
        : `The newest ones before it are of #${older}: ${command(`rewind ${session}:${older} --scope files`)}`,
  ),
  "no-step-was-cut": error(
    "INPUT_INVALID",
    () => "No step was cut, so there are no files to take back.",
    (_, { command }) => `Go back to any checkpoint: ${command("rewind")}`,
  ),
  "nothing-to-compact": error(
    "NOTHING_TO_COMPACT",
    (_: { readonly keep: number }) => "Nothing to compact.",
    ({ keep }) =>
      keep === 1
        ? "The last exchange always stays as it is."
        : `The last ${keep} exchanges always stay as they are.`,
  ),
  "compaction-failed": error(
    ({ code }: CompactionFailure) => code,
    ({ why }) => `The conversation could not be compacted. ${why}`,
    contextStays,
  ),
  "compaction-not-foreseen": error(
    "INPUT_INVALID",
    () => "What the Claude Agent SDK would summarise is not known before.",
    () => "Leave --dry-run out. Nothing is lost: a rewind brings everything back.",
  ),
};

/** `why`: in the words of the model's provider, or of whoever answered for it. */
interface CompactionFailure {
  readonly code: ErrorCode;
  readonly why: string;
}
