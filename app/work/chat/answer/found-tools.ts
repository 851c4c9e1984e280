import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { wireName } from "~/ai/models/wire-names.service.server";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { AppError } from "~/core/errors";
import { searchedWords } from "~/core/language/find-terms";
import { foldText } from "~/core/language/fold";
import { stem } from "~/core/language/terms";
import { clip } from "~/core/well-formed";
import type { MessagePart } from "../chat.schema";

// Hundreds of tools would fill a model's context and confuse it. Above a number that models handle, the tools of MCP
// servers are found by a search instead: what it finds is offered from the next step on, under its own name, so that
// policy, approval, audit and usage are those of the tool.

/** More than so many tools of MCP servers are found by a search. */
const MAX_HANDED = 40;
const MAX_FOUND = 10;
/** In characters. */
const MAX_QUERY = 500;
const MAX_DESCRIPTION = 300;
/** Of a description, in characters: its beginning says what a tool does, and a thousand are searched at once. */
const SEARCHED = 500;

export const FIND_TOOLS = "tools.find";

/** The ids of MCP servers begin so. */
const isOfServer = ({ name }: Pick<ToolInfo, "name">) => name.startsWith("mcp-");

/** Tools that only a search offers. */
export function hiddenTools(tools: readonly ToolInfo[]): ToolInfo[] {
  const ofServers = tools.filter(isOfServer);
  return ofServers.length > MAX_HANDED ? ofServers : [];
}

function finderOf(hidden: readonly ToolInfo[]): ToolInfo {
  const counts = new Map<string, number>();
  for (const { name } of hidden) {
    const server = name.split(".", 1)[0] ?? name;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const servers = [...counts].map(([server, count]) => `${server} (${count})`).join(", ");
  return {
    name: FIND_TOOLS,
    title: "Find tools",
    description:
      `Finds tools by words of their names and descriptions. There are ${hidden.length} more tools than those listed, of ` +
      `these servers: ${servers}. Search before saying that there is no tool for something. The tools found can be ` +
      "called in the next step.",
    effect: "reads",
    changesOrSends: false,
    policy: "always",
    isDefaultPolicy: true,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", maxLength: MAX_QUERY, description: "Words for what the tool should do" },
      },
      required: ["query"],
      additionalProperties: false,
    },
  };
}

/** Names that the searches of an answer found, the newest last. */
function foundIn(parts: readonly MessagePart[]): string[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool" || part.toolName !== FIND_TOOLS || part.state !== "done") return [];
    const { tools } = (part.output ?? {}) as { tools?: unknown };
    return Array.isArray(tools) ? tools.map((tool) => String((tool as { name?: unknown } | null)?.name)) : [];
  });
}

/** Names of the tools that earlier answers called. */
const calledIn = (prompt: readonly LanguageModelV3Message[]): string[] =>
  prompt.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])) : [],
  );

/** The tools of a model's next call: all, or the search with what it has found and what was called before. */
export function handedTools(
  tools: readonly ToolInfo[],
  prompt: readonly LanguageModelV3Message[] = [],
  parts: readonly MessagePart[] = [],
): ToolInfo[] {
  const hidden = hiddenTools(tools);
  if (hidden.length === 0) return [...tools];
  const found = new Set([...calledIn(prompt), ...foundIn(parts)].slice(-MAX_HANDED));
  return [
    ...tools.filter((tool) => !isOfServer(tool)),
    finderOf(hidden),
    ...hidden.filter(({ name }) => found.has(wireName(name))),
  ];
}

/** A word in a tool's name says more than one in its description. */
function scoreOf(words: readonly (readonly string[])[], { name, title, description }: ToolInfo): number {
  const split = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2");
  const named = foldText(`${split} ${title}`);
  const described = foldText(description.slice(0, SEARCHED));
  let score = 0;
  for (const spellings of words) {
    if (spellings.some((spelling) => named.includes(spelling))) score += 3;
    else if (spellings.some((spelling) => described.includes(spelling))) score += 1;
  }
  return score;
}

/**
 * The tools that have the most words of the query, best first.
 * @throws AppError `invalid` for a query that isn't text
 */
export function findTools(tools: readonly ToolInfo[], input: unknown) {
  const { query } = (input ?? {}) as { query?: unknown };
  if (typeof query !== "string" || query.trim() === "" || query.length > MAX_QUERY)
    throw new AppError(
      "invalid",
      `The input is not valid: query must be text of 1 to ${MAX_QUERY} characters`,
    );
  const words = searchedWords(query.replaceAll(/[_./,;:-]+/g, " ")).map(({ spellings }) => [
    ...spellings,
    ...spellings.map(stem),
  ]);
  const found = hiddenTools(tools)
    .map((tool) => ({ tool, score: scoreOf(words, tool) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND);
  return {
    tools: found.map(({ tool: { name, title, description } }) => ({
      name: wireName(name),
      title,
      description: clip(description, MAX_DESCRIPTION),
    })),
    ...(found.length === 0 && { note: "No tool has these words. Try others, such as what it works on." }),
  };
}
