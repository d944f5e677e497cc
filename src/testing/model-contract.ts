import type { Model } from "../ports/model.ts";
import { failing } from "./model/failing.ts";
import { remembering } from "./model/remembering.ts";
import { replying } from "./model/replying.ts";
import { type ModelServer, openModelServer } from "./model-server/model-server.ts";
import { scripted, type Wire } from "./model-server/script.ts";

export interface ModelContractOptions {
  /** How the model is spoken to. */
  readonly wire: Wire;
  /** Opens the model that is to keep the contract, with the server as its provider. */
  open(server: ModelServer): Model | Promise<Model>;
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

/** The contract of `Model`, as tests against the scripted server. Assertions are Node's own, for any test runner. */
export function modelContract(name: string, options: ModelContractOptions): void {
  const { describe, it, wire } = options;
  describe(`${name} keeps the contract of a model`, () => {
    for (const each of [...replying, ...remembering, ...failing]) {
      it(each.title, async () => {
        const server = await openModelServer(scripted(...each.replies));
        try {
          await each.run({ wire, server, model: await options.open(server) });
        } finally {
          await server.close();
        }
      });
    }
  });
}
