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
import type { NativeAnswering } from "./hosts/answering.ts";
import { openClaude } from "./hosts/open-claude.ts";
import { settleHost } from "./hosts/settle-host.ts";
import { warnOfEngine } from "./hosts/warn-of-checkpointing.ts";
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
export async function openAgent(bare: Frame, wanted: Wish, person: Person): Promise<OpenedAgent> {
  const frame = await frameOfWish(bare, wanted);
  const { values } = await frame.settings();
  const rules = readableRules(values, wanted);
  const { host, wish } = await settleHost(frame, wanted);
  const answering = host === "claude" ? await openClaude(frame, wish) : await openNative(frame, wish.model);
  // Until here there is nothing to put in order.
  return interruptible(frame, async (signal) => {
    const assembled = await assembleAgent(frame, { wish, person, rules, answering }, signal);
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

async function openNative(frame: Frame, wanted: string | undefined): Promise<NativeAnswering> {
  const finder = finderModel(frame);
  const models = await openModel(frame, { wanted, finder: () => finder.model });
  await warnOfEngine(frame);
  return { host: "native", models, finder };
}
