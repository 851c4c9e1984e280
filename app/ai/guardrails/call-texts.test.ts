import { describe, expect, it } from "vitest";
import { copyTexts } from "./call-texts";

describe("texts of a call", () => {
  async function texts(value: unknown): Promise<string[]> {
    const { texts, finish } = await copyTexts(value);
    expect(finish()).toEqual(value);
    return texts.map(({ text, kind }) => `${kind} ${text}`);
  }

  it("are replaced in the copy alone, under any name", async () => {
    const value = JSON.parse('{"a":["x",{"__proto__":{"b":"y"}}],"c":1}');
    const { texts, finish } = await copyTexts(value);
    for (const { text, replace } of texts) replace(text.toUpperCase());
    expect(JSON.stringify(finish())).toBe('{"a":["X",{"__proto__":{"b":"Y"}}],"c":1}');
    expect(JSON.stringify(value)).toBe('{"a":["x",{"__proto__":{"b":"y"}}],"c":1}');
  });

  it("are found in each protocol, and nothing else", async () => {
    expect(
      await texts({
        model: "m",
        system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "base64", data: "AAAA" } }] },
          { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
          { role: "assistant", audio: { id: "1", data: "AAAA", transcript: "a" } },
          { role: "user", content: [{ type: "document", source: { type: "text", data: "d" } }] },
          { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "x" }] },
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "1", name: "n", input: { data: "i", id: "j" } }],
          },
          { role: "assistant", tool_calls: [{ id: "1", function: { name: "n", arguments: '{"a":1}' } }] },
          { role: "tool", tool_call_id: "1", content: "r" },
        ],
        unknown_member: { deep: ["u"] },
      }),
    ).toEqual([
      "text s",
      "text a",
      "text d",
      "thought t",
      "argument i",
      "argument j",
      "argument a",
      "text r",
      "text u",
    ]);
    expect(
      await texts([
        {
          role: "user",
          content: [
            { type: "text", text: "q" },
            { type: "file", data: "AAAA", mediaType: "image/png" },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "1", toolName: "n", output: { type: "text", value: "o" } },
          ],
        },
      ]),
    ).toEqual(["text q", "text o"]);
  });

  it.each<[string, unknown, string[]]>([
    [
      "a tool's result",
      [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "1",
              toolName: "n",
              output: {
                type: "json",
                value: { rows: [{ id: "a", name: "b", status: "c" }], format: "d", data: "e" },
              },
            },
          ],
        },
      ],
      ["a", "b", "c", "d", "e"],
    ],
    [
      "a chat's schema",
      {
        response_format: {
          json_schema: { name: "n", schema: { properties: { name: { description: "a" } } } },
        },
      },
      ["a"],
    ],
    [
      "a response's schema",
      { text: { format: { type: "json_schema", schema: { description: "a" } } } },
      ["a"],
    ],
    ["a message's schema", { output_config: { format: { schema: { format: "a" } } } }, ["a"]],
    ["a prompt's variables", { prompt: { id: "p", variables: { name: "a", who: "b" } } }, ["a", "b"]],
    ["a call of a remote tool", { type: "mcp_tool_use", name: "n", input: { name: "a" } }, ["a"]],
  ])("are found under any name in %s", async (_, value, found) => {
    expect((await texts(value)).map((text) => text.replace(/^\w+ /, ""))).toEqual(found);
  });
});

describe("a text that is JSON", () => {
  async function replaced<T>(value: T, change: (text: string) => string) {
    const { texts, finish } = await copyTexts(value);
    for (const { text, replace } of texts) replace(change(text));
    return { texts: texts.map(({ text }) => text), copy: finish() };
  }

  it("is read by its strings, and stays JSON", async () => {
    const json = '{ "body": "Hello,\\nAda \\u0041da", "n": 12345678901234567890, "card":4111111111111111 }';
    const change = (text: string) => text.replaceAll("Ada", 'A"d').replace("4111111111111111", "[CARD_1]");
    const { texts, copy } = await replaced({ arguments: json }, change);
    expect(texts).toEqual(["body", "Hello,\nAda Ada", "n", "card", "4111111111111111"]);
    expect(copy.arguments).toBe(
      '{ "body": "Hello,\\nA\\"d A\\"d", "n": 12345678901234567890, "card":"[CARD_1]" }',
    );
  });

  it("stays as it is, byte for byte, where nothing is replaced", async () => {
    const content = '[ "\\u00fc" , {"a" :1.0} ]';
    expect((await replaced([{ role: "tool", content }], (text) => text)).copy).toEqual([
      { role: "tool", content },
    ]);
  });

  it("is read within JSON, too", async () => {
    const content = JSON.stringify({ text: JSON.stringify({ mail: "x\ny" }) });
    const { texts, copy } = await replaced({ content }, (text) => text.replace("y", "z"));
    expect(texts).toEqual(["text", "mail", "x\ny"]);
    expect(copy.content).toBe(JSON.stringify({ text: JSON.stringify({ mail: "x\nz" }) }));
  });

  it.each(["[see ada]", '{"a":"b"} and more', '"a"', "{"])("is no text like %s", async (text) => {
    expect((await replaced({ text }, (one) => one)).texts).toEqual([text]);
  });
});
