import { viewSession } from "../../machine/open.ts";
import { searchSession } from "../../machine/queries/search.ts";
import { lastUsedFirst } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Holder } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Here } from "../current/open-current.ts";
import type { AppWords } from "../words.ts";
import { openStore } from "./ground.ts";
import { holderIn } from "./holder.ts";
import { KeptReadings } from "./kept-readings.ts";
import { type KnownAs, knownAs } from "./known-as.ts";
import type { SessionRow, SessionsRequest } from "./session-types.ts";

/**
 * "no": not worth a line. Those of sub-agents belong to another session, those of programs to the program; in others nothing
 * was said.
 */
type Listed = KnownAs | "no" | "unreadable";

/** The sessions that can be gone to, last used first. What was read of one is not read again before it is written to. */
export class SessionRows {
  readonly #kept = new KeptReadings<Listed>();
  #unreadable = 0;

  /** How many the last list had to leave out. */
  get unreadable(): number {
    return this.#unreadable;
  }

  async list({ context, words, agent }: Here, request: SessionsRequest): Promise<readonly SessionRow[]> {
    const store = openStore(context);
    const rows: SessionRow[] = [];
    for (const listed of (await this.#found(store, agent.workspace, request)).sort(lastUsedFirst)) {
      const place = listed.id === agent.session ? HERE : await elsewhere(store, listed.id, words);
      rows.push({ ...shownOf(listed, words), ...place });
    }
    return rows;
  }

  async #found(store: LogStore, workspace: string, { of, search }: SessionsRequest): Promise<KnownAs[]> {
    const found: KnownAs[] = [];
    let unreadable = 0;
    for (const id of await store.list(of === "workspace" ? { workspace } : {})) {
      const listed = await this.#kept.of(store, id, async () => listedOf(store, id));
      if (listed === "unreadable") unreadable += 1;
      if (typeof listed !== "object") continue;
      // One that does not say where it belongs must not vanish.
      const isHere = of !== "workspace" || ["", workspace].includes(listed.workspace);
      if (isHere && (await isFound(store, listed, search ?? ""))) found.push(listed);
    }
    this.#unreadable = unreadable;
    return found;
  }
}

const HERE = { place: "here" } as const;

async function elsewhere(
  store: LogStore,
  session: SessionId,
  words: AppWords,
): Promise<Pick<SessionRow, "place" | "heldBy">> {
  return { place: "elsewhere", ...heldBy(await holderIn(store, session), words) };
}

async function listedOf(store: LogStore, id: SessionId): Promise<Listed> {
  try {
    const view = await viewSession(store, id);
    const { task, mode } = view.header;
    const isToOpen = task === undefined && mode !== "execution" && view.outline.length > 1;
    return isToOpen ? await knownAs(view) : "no";
  } catch (error) {
    if (isWorldlineError(error)) return "unreadable";
    throw error;
  }
}

function shownOf(listed: KnownAs, words: AppWords): Omit<SessionRow, "place"> {
  const { id, workspace, messages, used, mode } = listed;
  const title = words.sessionTitle(listed.title, { isFork: listed.isNamedAsSource, mode, id });
  const { unconfirmed } = listed;
  return {
    ...{ session: id, title, workspace, messages, at: used, mode },
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
  };
}

async function isFound(store: LogStore, { id, title }: KnownAs, search: string): Promise<boolean> {
  const wanted = search.trim();
  if (wanted === "" || title.toLowerCase().includes(wanted.toLowerCase())) return true;
  return holds(await viewSession(store, id), wanted);
}

async function holds(view: SessionView, wanted: string): Promise<boolean> {
  for await (const { kind } of searchSession(view, wanted)) {
    // What every session is told in the beginning is nothing that somebody looks for.
    if (kind !== "session") return true;
  }
  return false;
}

function heldBy(holder: Holder | undefined, words: AppWords): Pick<SessionRow, "heldBy"> {
  if (holder === undefined || holder.life === "dead") return {};
  return { heldBy: words.holder(holder.owner) };
}
