import { type CheckpointNumber, isSessionId, type SessionId, toCheckpointNumber } from "../../record/ids.ts";

/** A turn of an agent: its session, and the checkpoint that its prompt, or the person's command, stands behind. */
export interface TurnId {
  readonly session: SessionId;
  readonly number: CheckpointNumber;
}

const TURN = /^turn-([^-]+)-(\d{1,15})$/u;

/** `turn-<session>-<checkpoint>`: what a turn is called where executions are. */
export function turnName({ session, number }: TurnId): string {
  return `turn-${session}-${number}`;
}

/** Undefined for every other name: whether there is such a turn, only its session tells. */
export function parseTurnName(name: string): TurnId | undefined {
  const [, session, number] = TURN.exec(name) ?? [];
  return isSessionId(session) ? { session, number: toCheckpointNumber(Number(number)) } : undefined;
}
