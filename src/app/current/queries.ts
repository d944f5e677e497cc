import { filesOfTurn } from "../../agent/turn/files/changed-files.ts";
import { leftBehindBy, leftPart } from "../../machine/queries/left-behind.ts";
import type { Session } from "../../machine/session.ts";
import { branchPage, todosAtHead } from "../../machine/view.ts";
import { contextTokens } from "../../timeline/token-count.ts";
import { contextFill } from "../queries/context-fill.ts";
import { placeEntries } from "../queries/place-entries.ts";
import type { Queries } from "../queries/query-types.ts";
import { resumedRecap } from "../queries/recap.ts";
import { TimelineStates } from "../queries/timeline-state.ts";
import { treeRows } from "../queries/tree.ts";
import { mentionableFiles, workspaceDiff } from "../queries/workspace-files.ts";
import type { SessionAccess } from "./current-session.ts";

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
    diff: async (request) => workspaceDiff(parts.here().opened, request),
    recap: async () => resumedRecap(parts.here().opened),
  };
}
