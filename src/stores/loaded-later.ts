import type { LogStore, StorePlace } from "../ports/log-store.ts";

/** A store whose code is loaded when it is first asked for something: who never asks does not pay for it. */
export function loadedLater(place: StorePlace, load: () => Promise<LogStore>): LogStore {
  let loading: Promise<LogStore> | undefined;
  const store = async (): Promise<LogStore> => {
    loading ??= load();
    return loading;
  };
  return {
    place,
    create: async (...given) => (await store()).create(...given),
    open: async (session) => (await store()).open(session),
    recover: async (session) => (await store()).recover(session),
    append: async (...given) => (await store()).append(...given),
    rotationDue: async (session) => (await store()).rotationDue(session),
    rotate: async (...given) => (await store()).rotate(...given),
    read: async (...given) => (await store()).read(...given),
    verify: async (session) => (await store()).verify(session),
    list: async (...given) => (await store()).list(...given),
    stamp: async (session) => (await store()).stamp(session),
    sizes: async (session) => (await store()).sizes(session),
    holder: async (session) => (await store()).holder(session),
    lease: async (...given) => (await store()).lease(...given),
    putBlob: async (...given) => (await store()).putBlob(...given),
    getBlob: async (...given) => (await store()).getBlob(...given),
    listBlobs: async (session) => (await store()).listBlobs(session),
    trash: async (...given) => (await store()).trash(...given),
    undelete: async (session) => (await store()).undelete(session),
    listTrash: async () => (await store()).listTrash(),
    emptyTrash: async (before) => (await store()).emptyTrash(before),
    listRemnants: async () => (await store()).listRemnants(),
    scraps: async (session) => (await store()).scraps(session),
    rewrite: async (...given) => (await store()).rewrite(...given),
    scrub: async () => (await store()).scrub(),
    publish: async (...given) => (await store()).publish(...given),
    missing: async () => (await (await store()).missing?.()) ?? [],
    acceptMissing: async () => (await store()).acceptMissing?.(),
    close: async () => {
      // What was never asked for is not loaded to be closed, and what could not be loaded was said to whoever asked.
      const loaded = await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}
