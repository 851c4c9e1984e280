import { describe, expect, it } from "vitest";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import type { ChatModelCall, ChatModelPart } from "../language-model";
import { offline } from "./offline.provider.server";

const model = await offline.makeModel({ baseUrl: "", apiKey: undefined, fetch, config: {} }, OFFLINE_MODEL);
const tools: ChatModelCall["tools"] = [
  {
    type: "function",
    name: "kv__get",
    inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
  },
];
const say = (text: string): ChatModelCall["prompt"] => [{ role: "user", content: [{ type: "text", text }] }];
const result = (output: { type: "json"; value: never } | { type: "text" | "error-text"; value: string }) => [
  ...say("kv.get greeting"),
  {
    role: "tool" as const,
    content: [{ type: "tool-result" as const, toolCallId: "1", toolName: "kv__get", output }],
  },
];

async function ask(call: ChatModelCall): Promise<ChatModelPart[]> {
  const { stream } = await model.doStream(call);
  const parts: ChatModelPart[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
  return parts;
}
const textOf = (parts: ChatModelPart[]) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

describe("quarterdeck-offline", () => {
  it("streams word by word, says what it is and how to add a provider", async () => {
    const parts = await ask({ prompt: say("Hello there"), tools });
    expect(parts.filter((part) => part.type === "text-delta").length).toBeGreaterThan(30);
    const text = textOf(parts);
    expect(text).toContain("not a language model");
    expect(text).toContain("- `kv.get greeting` reads it");
    expect(text).toContain("/settings?tab=providers");
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });

  it("reports no tokens, since it has none", async () => {
    const last = (await ask({ prompt: say("Hello") })).at(-1);
    expect(last).toMatchObject({
      usage: { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
    });
  });

  it("says that the named tool isn't selected, in place of a search for its name", async () => {
    const schema = { type: "object" as const, properties: { query: { type: "string" as const } } };
    const search = { type: "function" as const, name: "qdrant__search", inputSchema: schema };
    const parts = await ask({ prompt: say("kv.set greeting hello"), tools: [search] });
    expect(textOf(parts)).toBe("The tool `kv.set` isn't selected. Select it and send this again.");
    expect(parts.some((part) => part.type === "tool-call")).toBe(false);
    for (const text of ["What does kv.set do?", "constructor: what is that?"]) {
      const question = await ask({ prompt: say(text), tools: [search] });
      expect(question.some((part) => part.type === "tool-call")).toBe(true);
    }
  });

  it("calls the tool that is named, unless tools are ruled out", async () => {
    const parts = await ask({ prompt: say("kv.get greeting"), tools });
    expect(parts.find((part) => part.type === "tool-call")).toMatchObject({
      toolName: "kv__get",
      input: '{"key":"greeting"}',
    });
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls" } });
    const none = await ask({ prompt: say("kv.get greeting"), tools, toolChoice: { type: "none" } });
    expect(none.some((part) => part.type === "tool-call")).toBe(false);
  });

  it("asks for missing inputs", async () => {
    expect(textOf(await ask({ prompt: say("kv.get"), tools }))).toContain("`kv.get` needs `key`");
  });

  it("quotes a result instead of calling again, and keeps it from breaking out", async () => {
    const page = { title: "A *page*", text: "One\n\nTwo" } as never;
    const quoted = textOf(await ask({ prompt: result({ type: "json", value: page }), tools }));
    expect(quoted).toContain("**A  page**");
    expect(quoted).toContain("> One\n>\n> Two");
    const data = { fences: "```" } as never;
    expect(textOf(await ask({ prompt: result({ type: "json", value: data }), tools }))).toContain("````json");
    const failed = textOf(
      await ask({ prompt: result({ type: "error-text", value: "No such key." }), tools }),
    );
    expect(failed).toContain("failed:\n\n> No such key.");
  });

  it("shortens a long result", async () => {
    const { content } = await model.doGenerate({ prompt: result({ type: "text", value: "x".repeat(9000) }) });
    const [part] = content;
    expect(part?.type === "text" ? part.text.length : 0).toBeLessThan(2000);
  });

  it("stops at once when aborted", async () => {
    const stop = new AbortController();
    const { stream } = await model.doStream({ prompt: say("Hello"), abortSignal: stop.signal });
    const reader = stream.getReader();
    await reader.read();
    stop.abort();
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  it("also answers without streaming, with a tool call if requested", async () => {
    const answer = await model.doGenerate({ prompt: say("kv.get greeting"), tools });
    expect(answer.content).toMatchObject([{ type: "tool-call", toolName: "kv__get" }]);
  });
});
