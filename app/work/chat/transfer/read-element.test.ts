import { describe, expect, it } from "vitest";
import { type JsonElement, readElements } from "./json-elements";
import { readElement } from "./read-element";

const LIMITS = { maxBytes: 2_000, maxObjectBytes: 5_000, maxDepth: 20, maxValues: 100 };
const encode = (text: string) => new TextEncoder().encode(text);

/** The elements of a file that comes in chunks of some bytes. */
async function elementsOf(file: string | Uint8Array, size = 7): Promise<JsonElement[]> {
  const bytes = typeof file === "string" ? encode(file) : file;
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const elements: JsonElement[] = [];
  for await (const element of readElements(chunks(), LIMITS)) elements.push(element);
  return elements;
}

describe("reading a file element by element", () => {
  it.each([1, 2, 7, 1000])("finds the same elements in chunks of %i bytes", async (size) => {
    const file = ' [ {"a":"} ] \\" {"} ,\n{"b":[{"c":"ü"}]} ] ';
    expect(await elementsOf(`\ufeff${file}`, size)).toEqual([
      { text: '{"a":"} ] \\" {"}' },
      { text: '{"b":[{"c":"ü"}]}' },
    ]);
    expect(await elementsOf('{"a":1}\n', size)).toEqual([{ text: '{"a":1}' }]);
    expect(await elementsOf("[]", size)).toEqual([]);
  });

  it("skips elements of too many values, however small", async () => {
    const many = (count: number, value: string) => `{"a":[${Array(count).fill(value).join(",")}]}`;
    expect(await elementsOf(`[${many(101, "1")},${many(99, "1")},${many(60, "[]")},{"b":1}]`)).toEqual([
      { refusal: "too-many-values" },
      { text: many(99, "1") },
      { refusal: "too-many-values" },
      { text: '{"b":1}' },
    ]);
  });

  it("skips elements that are too large, too deep or not UTF-8", async () => {
    const large = `{"a":"${"x".repeat(3_000)}"}`;
    const deep = `{"a":${"[".repeat(30)}${"]".repeat(30)}}`;
    const broken = Uint8Array.from([...encode('[{"a":"'), 0xff, ...encode('"},{"b":1}]')]);
    expect(await elementsOf(`[${large},${deep},{"b":1}]`)).toEqual([
      { refusal: "too-large" },
      { refusal: "too-deep" },
      { text: '{"b":1}' },
    ]);
    expect(await elementsOf(large), "a single object may be larger").toEqual([{ text: large }]);
    expect(await elementsOf(`{"a":"${"x".repeat(6_000)}"}`)).toEqual([{ refusal: "too-large" }]);
    expect(await elementsOf(broken)).toEqual([{ refusal: "not-utf8" }, { text: '{"b":1}' }]);
  });

  it.each([
    ["", "empty"],
    ["PK\u0003\u0004", "not a JSON export"],
    ["[1]", "not a JSON export"],
    ['{"a":1} {"b":1}', "has more content after its end"],
    ['[{"a":1}', "ends too early"],
    ['[{"a":"', "ends too early"],
  ])("refuses %j", async (file, message) => {
    await expect(elementsOf(file)).rejects.toThrow(message);
  });
});

function read(value: unknown) {
  const [found, ...more] = readElement({ text: JSON.stringify(value) });
  if (!found || more.length > 0) throw new Error(`Found ${more.length} more conversations`);
  return found;
}
const node = (id: string, parent: string | null, role: string, text: unknown, more: object = {}) => ({
  id,
  parent,
  message: {
    author: { role },
    create_time: 1_700_000_000,
    content: { content_type: "text", parts: [text] },
    ...more,
  },
});
const chatGpt = (nodes: { id: string }[], more: object = {}) => ({
  conversation_id: "abc",
  title: "Trip",
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_900,
  mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
  ...more,
});

describe("a conversation of ChatGPT", () => {
  it("keeps every branch and reports skipped messages", () => {
    const found = read(
      chatGpt(
        [
          { id: "root", ...{ parent: null, message: null } },
          node("s", "root", "system", ""),
          node("u", "s", "user", "Where to?"),
          node("a1", "u", "assistant", "Rome", { metadata: { model_slug: "gpt-4o" } }),
          node("a2", "u", "assistant", "Oslo"),
          node("a3", "a2", "assistant", "Or Bergen"),
          node("p", "a3", "user", { asset_pointer: "file://x" }),
        ],
        { current_node: "p" },
      ),
    );
    expect(found).toEqual({
      source: "chatgpt:abc",
      title: "Trip",
      model: "gpt-4o",
      createdAt: 1_700_000_000_500,
      updatedAt: 1_700_000_900_000,
      messages: [
        { role: "user", text: "Where to?", model: null, createdAt: 1_700_000_000_000, parent: null },
        { role: "assistant", text: "Rome", model: "gpt-4o", createdAt: 1_700_000_000_000, parent: 0 },
        {
          role: "assistant",
          text: "Oslo\n\nOr Bergen",
          model: null,
          createdAt: 1_700_000_000_000,
          parent: 0,
        },
      ],
      shown: 2,
      leftOut: new Map([
        ["tool calls and system messages", 1],
        ["attachments and images", 1],
        ["messages without text", 1],
      ]),
    });
  });

  it.each([
    [
      "that lead in a circle",
      [node("a", "b", "user", "A"), node("b", "a", "assistant", "B")],
      "b",
      ["A", "B"],
    ],
    ["that are their own parent", [node("a", "a", "user", "A")], "a", ["A"]],
    ["whose parent is missing", [node("a", "gone", "user", "A")], "a", ["A"]],
    [
      "whose shown one is missing",
      [node("a", null, "user", "A"), node("b", "a", "user", "B")],
      "gone",
      ["A", "B"],
    ],
    [
      "that name __proto__",
      [node("__proto__", null, "user", "A"), node("b", "__proto__", "user", "B")],
      "b",
      ["B"],
    ],
  ])("with messages %s is read as far as possible", (_, nodes, current_node, texts) => {
    const found = read(chatGpt(nodes, { current_node }));
    expect("messages" in found && found.messages.map(({ text }) => text)).toEqual(texts);
  });

  it("drops implausible times and truncates long messages", () => {
    const long = node("a", null, "user", "x".repeat(300_000), { create_time: 9e15 });
    const found = read(chatGpt([long], { create_time: -1, update_time: "soon" }));
    expect(found).toEqual(
      expect.objectContaining({
        createdAt: null,
        updatedAt: null,
        leftOut: new Map([["messages truncated at 200,000 characters", 1]]),
      }),
    );
    expect("messages" in found && found.messages[0]?.text.length).toBe(200_000);
  });

  it("of more than 5,000 messages keeps the first ones", () => {
    const nodes = Array.from({ length: 5_010 }, (_, n) =>
      node(`n${n}`, n > 0 ? `n${n - 1}` : null, "user", `${n}`),
    );
    const found = read(chatGpt(nodes, { current_node: "n5009" }));
    expect("messages" in found && [found.messages.length, [...found.leftOut]]).toEqual([
      5_000,
      [["messages beyond the first 5,000 or 20 million characters of a conversation", 10]],
    ]);
  });
});

describe("a conversation of LibreChat", () => {
  const said = (messageId: string, parentMessageId: string | null, text: string, more: object = {}) => ({
    messageId,
    parentMessageId,
    text,
    isCreatedByUser: messageId.startsWith("u"),
    createdAt: "2024-05-01T10:00:00Z",
    ...more,
  });

  it("is read from a list and from nested messages alike", () => {
    const list = [
      said("u1", "00000000", "Hello"),
      said("a1", "u1", "", { content: [{ type: "text", text: { value: "Hi" } }, { type: "tool_call" }] }),
      said("u2", "a1", "Bye"),
    ];
    const [first, second, third] = list;
    const nested = [{ ...first, children: [{ ...second, children: [third] }] }];
    for (const messages of [list, nested]) {
      const found = read({ conversationId: "c1", title: "Chat", messages, options: { model: "gpt-4" } });
      expect(found).toEqual(
        expect.objectContaining({
          source: "librechat:c1",
          model: "gpt-4",
          leftOut: new Map([["tool calls and system messages", 1]]),
        }),
      );
      expect("messages" in found && found.messages.map(({ role, text }) => [role, text])).toEqual([
        ["user", "Hello"],
        ["assistant", "Hi"],
        ["user", "Bye"],
      ]);
    }
  });

  it("is read with its branches from a recursive export", () => {
    const { parentMessageId: _, ...orphan } = said("a2", null, "Other");
    const answer = { ...said("a1", "u1", "Hi"), children: [{ ...said("u2", "a1", "Bye"), children: [] }] };
    const messagesTree = [{ ...said("u1", "00000000", "Hello"), children: [answer, orphan] }];
    const found = read({ conversationId: "c1", title: "Chat", recursive: true, messagesTree });
    expect("messages" in found && found.messages.map(({ text, parent }) => [text, parent])).toEqual([
      ["Hello", null],
      ["Hi", 0],
      ["Bye", 1],
      ["Other", 0],
    ]);
  });

  it("nested 2,000 deep is read without recursion", () => {
    let messages: object[] = [];
    for (let n = 1_999; n >= 0; n--)
      messages = [{ ...said(`u${n}`, n > 0 ? `u${n - 1}` : null, `${n}`), children: messages }];
    const found = read({ conversationId: "c1", messages });
    expect("messages" in found && found.messages.length).toBe(2_000);
  });
});

it.each([
  [{ text: "{" }, "conversations that can't be read"],
  [{ text: "{}" }, "conversations of an unknown format"],
  [{ text: '{"mapping":[]}' }, "conversations that can't be read"],
  [{ text: '{"mapping":{}}' }, "conversations without messages"],
  [{ text: '{"mapping":{"a":{"message":{"author":1}}}}' }, "conversations without messages"],
  [{ text: '{"conversationId":1,"messages":"many"}' }, "conversations that can't be read"],
  [{ text: '{"conversationId":"c","messagesTree":"many"}' }, "conversations that can't be read"],
  [{ text: '{"format":"conversation/9","messages":[]}' }, "conversations that can't be read"],
  [{ text: '{"chat":{"messages":[]}}' }, "conversations that can't be read"],
  [{ text: '{"chat_messages":{}}' }, "conversations that can't be read"],
  [{ text: '{"uuid":"c","chat_messages":[]}' }, "conversations without messages"],
  [{ text: '{"exportType":"settings","state":{"settings":{}}}' }, "conversations that can't be read"],
  [{ text: '{"exportType":"all","state":{"messages":[]}}' }, "conversations without messages"],
  [
    { refusal: "too-large" as const },
    "conversations larger than 8 MB, or files of one object larger than 32 MB",
  ],
])("skips %j", (element, reason) => {
  expect(readElement(element)).toEqual([{ reason }]);
});

const message = (messageId: string, parentMessageId: string | null, createdAt?: string) => ({
  messageId,
  parentMessageId,
  text: messageId.toUpperCase(),
  isCreatedByUser: parentMessageId === null,
  ...(createdAt ? { createdAt } : {}),
});
const readLibre = (rest: object) => {
  const found = read({ conversationId: "c1", title: "Plan", ...rest });
  if ("reason" in found) throw new Error(found.reason);
  return found;
};

it("dates a conversation without dates by its first and last message", () => {
  const messages = [
    message("ask", null, "2026-01-02T03:04:05.000Z"),
    message("answer", "ask", "2026-01-02T03:05:00.000Z"),
  ];
  expect(readLibre({ messages })).toMatchObject({
    title: "Plan",
    createdAt: Date.parse("2026-01-02T03:04:05.000Z"),
    updatedAt: Date.parse("2026-01-02T03:05:00.000Z"),
  });
  const own = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-03T00:00:00.000Z" };
  const dated = readLibre({ messages, ...own });
  expect([dated.createdAt, dated.updatedAt], "its own dates come first").toEqual(
    [own.createdAt, own.updatedAt].map((at) => Date.parse(at)),
  );
});

it("imports a conversation that has no date at all", () => {
  const undated = readLibre({ messages: [message("ask", null)] });
  expect([undated.createdAt, undated.updatedAt]).toEqual([null, null]);
  expect(undated.messages.map(({ text }) => text)).toEqual(["ASK"]);
});
