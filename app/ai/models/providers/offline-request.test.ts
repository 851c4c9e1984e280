import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../tests/support/processor-time";
import { readToolRequest } from "./offline-request";

const tool = (name: string, properties: Record<string, object>, required: string[]) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const, properties, required } as never,
});
const text = { type: "string" };
const tools = [
  tool("web__fetch", { url: { type: "string", format: "uri" } }, ["url"]),
  tool(
    "http__request",
    {
      method: { type: "string", enum: ["GET", "POST"] },
      url: text,
      body: text,
      timeout: { type: "integer" },
    },
    ["url"],
  ),
  tool("kv__set", { key: text, value: text }, ["key", "value"]),
  tool("kv__get", { key: text }, ["key"]),
];
const call = (name: string, input: object) => ({ kind: "call", tool: name, input });

describe("the built-in model's reading of a request", () => {
  it.each([
    ["kv.set greeting hello", call("kv__set", { key: "greeting", value: "hello" })],
    [
      "please kv__set greeting hello there, world",
      call("kv__set", { key: "greeting", value: "hello there, world" }),
    ],
    ['KV.SET "two words" `a b`', call("kv__set", { key: "two words", value: "a b" })],
    ["kv.set key=a value=b", call("kv__set", { key: "a", value: "b" })],
    ['Use kv.set with {"key":"a","value":"{}"} now', call("kv__set", { key: "a", value: "{}" })],
    ['kv.set {"key":"a","value":"b"} and then {nothing}', call("kv__set", { key: "a", value: "b" })],
    ["kv.get(greeting)", call("kv__get", { key: "greeting" })],
    ["kv.get greeting, then kv.set a b", call("kv__get", { key: "greeting, then kv.set a b" })],
    ["read https://example.com/a?b=c.", call("web__fetch", { url: "https://example.com/a?b=c" })],
    ["web.fetch <https://example.com/>", call("web__fetch", { url: "https://example.com/" })],
    [
      "http.request post https://example.com",
      call("http__request", { method: "POST", url: "https://example.com" }),
    ],
    [
      "http.request url=https://example.com timeout=500",
      call("http__request", { url: "https://example.com", timeout: 500 }),
    ],
    ["kv.set onlykey", { kind: "incomplete", tool: "kv__set", missing: ["value"] }],
    ["web.fetch", { kind: "incomplete", tool: "web__fetch", missing: ["url"] }],
  ])("%s", (said, expected) => {
    expect(readToolRequest(said, tools)).toEqual(expected);
  });

  it.each(["hello", "the kv store", "kv.sets a b", "x.kv.set a b", "kv.set.more a", "ftp://example.com"])(
    "finds no request in: %s",
    (said) => {
      expect(readToolRequest(said, tools)).toBeUndefined();
    },
  );

  it("calls only offered tools", () => {
    expect(readToolRequest("kv.set a b and https://example.com", tools.slice(3))).toBeUndefined();
    expect(readToolRequest("kv.set a b", undefined)).toBeUndefined();
  });

  it("stays quick with long and hostile text", () => {
    const started = process.threadCpuUsage();
    readToolRequest(`kv.set ${"{".repeat(50_000)}${"}".repeat(50_000)}`, tools);
    readToolRequest(`kv.set {"a":"${"}".repeat(1_000_000)}`, tools);
    readToolRequest(`kv.set ${'"'.repeat(100_000)}`, tools);
    readToolRequest(`http.request ${"a=".repeat(50_000)}`, tools);
    expect(processorMs(started)).toBeLessThan(2000);
  });
});
