import { type Problem, remark } from "../../errors/texts.ts";

export interface Server {
  readonly server: string;
}

/** A tool of a server that cannot be used. */
export interface UnusableTool {
  /** "" if the tool has no name; absent if the problem does not concern a single tool. */
  readonly name?: string;
  readonly problem: Problem;
}

/** Problems with a single MCP server. Only that server's tools are unavailable. */
export const mcpServers = {
  "mcp-variables-missing": remark(
    ({ server, variables }: Server & { readonly variables: readonly string[] }) =>
      `The MCP server ${server} needs environment variables that are not set: ${variables.join(", ")}.`,
  ),
  "mcp-not-started": remark(
    /** `said`: the end of the server's standard error; "" if it wrote nothing. */
    ({ server, problem, said }: Server & { readonly problem: Problem; readonly said: string }, { message }) =>
      `The MCP server ${server} did not start: ${message(problem)}.${said === "" ? "" : ` It reported: ${said}`}`,
  ),
  "mcp-tools-unusable": remark(
    /** `more`: how many other tools cannot be used. */
    (
      { server, tools, more }: Server & { readonly tools: readonly UnusableTool[]; readonly more: number },
      { message },
    ) => {
      const named = tools.map(({ name, problem }) => {
        if (name === undefined) return message(problem);
        return `${name === "" ? "(without a name)" : name} (${message(problem)})`;
      });
      return `The MCP server ${server} lists tools that cannot be used: ${named.join(", ")}${more === 0 ? "" : `, and ${more} more`}.`;
    },
  ),
  "mcp-ended": remark(
    ({ server }: Server) => `The MCP server ${server} has exited, so its tools can no longer be used.`,
  ),
};

export interface Most {
  readonly most: number;
}

/** The reasons why a server, or one of its tools, is not used. */
export const mcpFaults = {
  "mcp-silent": remark(
    ({ milliseconds }: { readonly milliseconds: number }) => `no answer within ${milliseconds} ms`,
  ),
  "mcp-interrupted": remark(() => "interrupted"),
  "mcp-ended-early": remark(() => "the server has exited"),
  "mcp-answers-unread": remark(() => "it sends requests, but does not read the responses"),
  "mcp-line-too-long": remark(({ most }: Most) => `it sent a line longer than ${most} characters`),
  "mcp-not-messages": remark(() => "most of its output is not MCP messages"),
  "mcp-tool-no-object": remark(() => "it is not an object"),
  "mcp-tool-too-deep": remark(() => "its schema is nested too deeply"),
  "mcp-tool-too-long": remark(({ most }: Most) => `it is longer than ${most} characters`),
  "mcp-tool-unnamed": remark(() => "its name is empty"),
  "mcp-tool-unclear": remark(() => "its definition is invalid"),
  "mcp-tools-too-many": remark(
    ({ count, most }: Most & { readonly count: number }) => `${count} more (only ${most} are used)`,
  ),
};
