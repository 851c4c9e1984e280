import { parseWellFormed } from "~/core/well-formed";
import type { NamedTool, ResponsesSettings } from "./openai-responses.schema";
import { asToolInput, type FunctionTool, present } from "./prompt";

// Two kinds of OpenAI's tools stand for themselves here alone: custom tools, which take plain text, and tools in a
// namespace. Other protocols have functions with one name.

/** The argument of a function that stands for a custom tool. */
const CUSTOM_INPUT = "input";

/** @param text the custom tool's input */
export const customArguments = (text: string) => ({ [CUSTOM_INPUT]: text });

/** A custom tool's input, of the arguments of its function; other arguments stay as they are. */
export function plainInput(json: string): string {
  try {
    const { [CUSTOM_INPUT]: input } = Object(parseWellFormed(json)) as Record<string, unknown>;
    if (typeof input === "string") return input;
  } catch {
    // A model that wrote no JSON may have written the input itself.
  }
  return json;
}

/** A tool's name without namespaces. */
export const joinedName = (name: string, namespace: string | null | undefined): string =>
  namespace ? `${namespace}__${name}` : name;

export interface CallableTool {
  tool: NamedTool;
  namespace?: string;
}

export const callableTools = (tools: ResponsesSettings["tools"]): CallableTool[] =>
  (tools ?? []).flatMap((tool) =>
    tool.type === "namespace"
      ? tool.tools.map((inside) => ({ tool: inside, namespace: tool.name }))
      : [{ tool }],
  );

/** The tools of a call by the name under which a model calls them. */
export const toolsByName = ({ tools }: ResponsesSettings): ReadonlyMap<string, CallableTool> =>
  new Map(callableTools(tools).map((one) => [joinedName(one.tool.name, one.namespace), one]));

function customTool(name: string, tool: Extract<NamedTool, { type: "custom" }>): FunctionTool {
  const { description, format } = tool;
  const grammar =
    format?.type === "grammar"
      ? `The input must match this ${format.syntax ?? ""} grammar:\n${format.definition ?? ""}`
      : "";
  return {
    type: "function",
    name,
    description: [description ?? "", grammar].filter((text) => text !== "").join("\n\n"),
    inputSchema: {
      type: "object",
      properties: { [CUSTOM_INPUT]: { type: "string", description: "The whole input, as plain text" } },
      required: [CUSTOM_INPUT],
      additionalProperties: false,
    },
  };
}

export function toTool({ tool, namespace }: CallableTool): FunctionTool {
  const name = joinedName(tool.name, namespace);
  if (tool.type === "custom") return customTool(name, tool);
  const { description, parameters, strict } = tool;
  return {
    type: "function",
    name,
    inputSchema: asToolInput(parameters),
    ...present({ description, strict }),
  };
}
