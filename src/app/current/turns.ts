import { WorldlineError } from "../../record/error.ts";

/** Who has the session for themselves: a turn, or the person's hand. One at a time, over all agents of the station. */
export class Turns {
  #isTaken = false;

  /** Rejects with TURN_RUNNING while somebody has it. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isTaken) throw turnRunning();
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#isTaken = false;
    }
  }
}

function turnRunning(): WorldlineError {
  return new WorldlineError("TURN_RUNNING", "Something is still running here.", {
    hint: "Wait for its end, or interrupt it first.",
  });
}
