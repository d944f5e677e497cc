import { filesOfTurn } from "../../agent/turn/files/changed-files.ts";
import { leftBehindBy, leftPart } from "../../machine/queries/left-behind.ts";
import type { Session } from "../../machine/session.ts";
import { branchPage, todosAtHead } from "../../machine/view.ts";
import { contextTokens } from "../../timeline/token-count.ts";
import type { SessionAccess } from "../current/session-access.ts";
import { contextFill } from "./context-fill.ts";
import { mentionableFiles } from "./mentionable-files.ts";
import { placeEntries } from "./place-entries.ts";
import type { Queries } from "./query-types.ts";
import { TimelineStates } from "./state/timeline-states.ts";
import { toldDiff } from "./told-diff.ts";
import { toldRecap } from "./told-recap.ts";
import { treeRows } from "./tree-rows.ts";

/** What can be seen of the session that is here now. */
export function queriesOn(parts: SessionAccess): Queries {
  const session = (): Session => parts.here().opened.session;
  let states: { readonly of: Session; readonly states: TimelineStates } | undefined;
  return {
    page: async (request) => branchPage(session(), request),
    filesOfTurn: async (prompt) => filesOfTurn(session(), parts.here().opened.here.files, prompt),
    leftBehind: async (journey) => leftBehindBy(session(), journey),
    leftPart: async (journey) => leftPart(session(), journey),
    compactedTo: async (compaction) => {
      const { outline } = session();
      const row = outline.byId(compaction);
      return row === undefined ? undefined : contextTokens(outline, row, row.seq);
    },
    state: async () => {
      if (states?.of !== session()) states = { of: session(), states: new TimelineStates() };
      return states.states.now(parts.here());
    },
    todos: async () => todosAtHead(session()),
    context: async () => contextFill(session(), parts.here().agent),
    tree: async () => treeRows(session()),
    place: async (entry) => placeEntries(session(), entry),
    files: async () => {
      const { context, agent } = parts.here();
      return mentionableFiles(agent.workspace, context.surroundings.environment);
    },
    diff: async (request) => toldDiff(parts.here(), request),
    recap: async () => toldRecap(parts.here()),
  };
}
