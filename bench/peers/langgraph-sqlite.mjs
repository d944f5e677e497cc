import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

/**
 * LangGraph's published checkpointer, with the data of a graph with one list of messages. Each message requires a
 * write of that message, and a checkpoint with the list up to that message. (A whole graph writes more checkpoints than
 * that.)
 */
export const driver = {
  name: "LangGraph SqliteSaver 1.0.4",
  create: async (dir) => {
    const saver = SqliteSaver.fromConnString(join(dir, "langgraph.db"));
    const messages = [];
    let config = { configurable: { thread_id: "bench", checkpoint_ns: "" } };
    return {
      append: async ({ role, text }) => {
        const message = role === "user" ? new HumanMessage(text) : new AIMessage(text);
        const step = messages.push(message);
        const checkpoint = {
          ...emptyCheckpoint(),
          id: uuid6(step),
          channel_values: { messages },
          channel_versions: { messages: step },
        };
        const metadata = { source: "loop", step, parents: {} };
        config = await saver.put(config, checkpoint, metadata, { messages: step });
        await saver.putWrites(config, [["messages", [message]]], `task-${step}`);
      },
      close: () => saver.db.close(),
    };
  },
};
