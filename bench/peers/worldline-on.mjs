import { createSession, holdSession, openStore, systemClock, viewSession } from "../../dist/index.js";

const holding = { name: "bench" };
const usage = { input: 10_500, output: 400, cacheRead: 9000, cacheWrite: 300 };

/**
 * The driver of Worldline on one kind of store. `address` returns the store's address for a folder, `prepare` creates
 * what the store needs in an empty folder, and `sessionIn` returns the only session in the folder.
 */
export function worldlineOn({ address, sessionIn = onlySession, prepare = () => undefined, ...more }) {
  const storeIn = (dir) => openStore(address(dir), { home: dir });
  return {
    address,
    prepare,
    storeIn,
    create: async (dir) => {
      await prepare(dir);
      const store = storeIn(dir);
      return ready(store, await createSession({ store, clock: systemClock }, { workspace: dir }, holding));
    },
    resume: async (dir) => {
      const store = storeIn(dir);
      const session = await sessionIn(dir, store);
      return ready(store, await holdSession({ store, clock: systemClock }, session, holding));
    },
    load: async (dir) => {
      const store = storeIn(dir);
      const entries = [];
      for await (const entry of (await viewSession(store, await sessionIn(dir, store))).all()) {
        entries.push(entry);
      }
      await store.close();
      return entries.length;
    },
    // A step's marker is a separate part after the message.
    textOf: (message) => message.parts[0]?.text ?? "",
    ...more,
  };
}

const onlySession = async (_dir, store) => (await store.list())[0];

function ready(store, session) {
  let calls = 0;
  return {
    append: (message) => write(session, message),
    // Writes that are not awaited share one sync, as they do while a turn streams.
    appendAll: (messages) => Promise.all(messages.map((message) => write(session, message))),
    checkpoint: () => session.step(),
    goBack: async (place, note) => {
      calls += 1;
      if (note === undefined) await session.rewind(place);
      else await backtrack(session, place, { note, call: `call ${calls}` });
    },
    compact: (summary, keep) => session.compact({ summary, keep: keep / 2 }),
    context: async () => (await session.context()).messages,
    close: async () => {
      await session.close();
      await store.close();
    },
  };
}

/** Writes a message with the entries that the agent writes for it: checkpoint and prompt, or step and reply. */
async function write(session, { role, text }) {
  if (role === "user") return session.prompt(text);
  return Promise.all([
    session.step(),
    session.reply({ parts: [{ type: "text", text }], model: "some-model", usage }),
  ]);
}

/** Backtracks. To be allowed, the agent must have done something since its last backtrack and must have a new note. */
async function backtrack(session, to, { note, call }) {
  await session.toolEnd(call, "ok", "done");
  const answer = await session.requestBacktrack(`${call} back`, {
    to,
    note: `${note} (${call})`,
    files: "keep",
  });
  if (answer.status === "refused") throw new Error(`${answer.message} ${answer.hint}`);
  await session.endStep();
}
