import { describe, expect, it } from "vitest";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import type { MessagePart } from "../chat.schema";
import { FIND_TOOLS, findTools, handedTools } from "./found-tools";

const info = (name: string, description = ""): ToolInfo => ({
  name,
  title: name,
  description,
  effect: "outside",
  changesOrSends: true,
  policy: "ask",
  isDefaultPolicy: true,
  inputSchema: { type: "object" },
});
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => info(`mcp-lab.tool_${at}`, "Does things"));
const named = (tools: readonly ToolInfo[]) => tools.map(({ name }) => name);
const search = (output: unknown): MessagePart => ({
  type: "tool",
  toolCallId: "c1",
  toolName: FIND_TOOLS,
  state: "done",
  input: {},
  output,
});

describe("the tools handed to a model", () => {
  it("are all of them up to 40 of MCP servers", () => {
    const tools = [...many(40), info("kv.get"), info("web.fetch")];
    expect(handedTools(tools)).toEqual(tools);
  });

  it("are a search in place of more, and what it found", () => {
    const tools = [...many(41), info("kv.get")];
    expect(named(handedTools(tools))).toEqual(["kv.get", FIND_TOOLS]);
    expect(handedTools(tools)[1]?.description).toContain("mcp-lab (41)");
    const parts = [
      search({ tools: [{ name: "mcp-lab__tool_7" }, { name: "kv__set" }, null] }),
      search("odd"),
    ];
    expect(named(handedTools(tools, [], parts))).toEqual(["kv.get", FIND_TOOLS, "mcp-lab.tool_7"]);
  });
});

describe("tools that earlier answers called", () => {
  it("stay offered without another search", () => {
    const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "mcp-lab__tool_3", input: {} };
    const prompt = [{ role: "assistant" as const, content: [call] }];
    expect(named(handedTools(many(41), prompt))).toEqual([FIND_TOOLS, "mcp-lab.tool_3"]);
  });
});

describe("the search of tools", () => {
  const tools = [
    ...many(40),
    info("mcp-hub.create_issue", "Opens a ticket in a repository"),
    info("mcp-hub.listIssues", "Lists tickets"),
    info("mcp-mail.send", "Sends an email to a person, about issues or else"),
  ];

  it("ranks words in a name before those in a description, and takes other forms of a word", () => {
    expect(findTools(tools, { query: "issues" }).tools.map(({ name }) => name)).toEqual([
      "mcp-hub__create_issue",
      "mcp-hub__listIssues",
      "mcp-mail__send",
    ]);
    expect(findTools(tools, { query: "create a ticket" }).tools[0]?.name).toBe("mcp-hub__create_issue");
  });

  it("says when nothing was found, and refuses what isn't a text", () => {
    expect(findTools(tools, { query: "zeppelin" })).toMatchObject({ tools: [], note: expect.any(String) });
    for (const input of [null, {}, { query: 1 }, { query: " " }, { query: "a".repeat(501) }])
      expect(() => findTools(tools, input)).toThrow(/query/);
  });
});
