import type { Agent } from "../../ports/agent.ts";
import type { Person } from "../../ports/person.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { interruptible } from "../heard.ts";
import type { Settings } from "../settings/table.ts";
import { readableRules } from "./agent-settings.ts";
import { assembleAgent } from "./assemble-agent.ts";
import { finderModel } from "./finder-model.ts";
import { frameOfWish } from "./frame-of-wish.ts";
import { openModel } from "./open-model.ts";
import { recapHere } from "./recap-here.ts";

export interface OpenedAgent {
  readonly agent: Agent;
  /** Those that count where it works. */
  readonly settings: Settings;
  /** Of a session that was resumed: done, open, next. */
  readonly recap?: string;
  close(): Promise<void>;
}

/**
 * From what the person wants to an agent at work on its session, in the frame of that session's workspace. An interrupt
 * while it is put together closes what was opened, and ends with CANCELLED.
 */
export async function openAgent(bare: Frame, wish: Wish, person: Person): Promise<OpenedAgent> {
  const frame = await frameOfWish(bare, wish);
  const { values } = await frame.settings();
  const rules = readableRules(values, wish);
  const finder = finderModel(frame);
  const models = await openModel(frame, { wanted: wish.model, finder: () => finder.model });
  // Until here there is nothing to put in order.
  return interruptible(frame, async (signal) => {
    const assembled = await assembleAgent(frame, { wish, person, rules, models, finder }, signal);
    const { agent, opened, close } = assembled;
    try {
      const recap = opened.resumed === "new" ? undefined : await recapHere(frame, opened.session);
      return { agent, settings: values, ...(recap === undefined ? {} : { recap }), close };
    } catch (error) {
      await Promise.allSettled([close()]);
      throw error;
    }
  });
}
