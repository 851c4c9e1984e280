import { describe, expect, it } from "vitest";
import { readElement } from "../read-element";

function readAll(value: unknown) {
  return readElement({ text: JSON.stringify(value) }).map((one) => {
    if ("reason" in one) throw new Error(one.reason);
    return one;
  });
}

/** A conversation's facts, its messages as [role, text, parent] and what was left out. */
function read(value: unknown) {
  const [one, ...more] = readAll(value);
  if (!one || more.length > 0) throw new Error(`Found ${more.length} more`);
  const { messages, leftOut, ...facts } = one;
  return {
    ...facts,
    said: messages.map(({ role, text, parent }) => [role, text, parent]),
    leftOut: Object.fromEntries(leftOut),
  };
}

interface Said {
  role?: string;
  content: object;
  metadata?: object;
  recipient?: string;
}
/** A conversation of ChatGPT whose messages follow each other. */
const chatGpt = (...said: Said[]) => ({
  conversation_id: "c",
  title: "Trip",
  mapping: Object.fromEntries(
    said.map(({ role = "assistant", ...message }, n) => [
      `n${n}`,
      { parent: n > 0 ? `n${n - 1}` : null, message: { author: { role }, ...message } },
    ]),
  ),
  current_node: `n${said.length - 1}`,
});
const text = (...parts: unknown[]) => ({ content_type: "text", parts });
const textsOf = (...said: Said[]) => read(chatGpt(...said)).said.map(([, text]) => text);

describe("ChatGPT", () => {
  it("shows what it showed: hidden messages stay out", () => {
    const hidden = { is_visually_hidden_from_conversation: true };
    const found = read(
      chatGpt(
        { role: "user", content: text("HIDDEN"), metadata: hidden },
        { role: "user", content: text("Question") },
        { content: text("Answer") },
      ),
    );
    expect(found.said).toEqual([
      ["user", "Question", null],
      ["assistant", "Answer", 0],
    ]);
    expect(found.leftOut).toEqual({ "hidden messages": 1 });
  });

  it("of a voice talk keeps what was said, not the recordings", () => {
    const said = (words: string) => ({
      content_type: "multimodal_text",
      parts: [
        { content_type: "audio_transcription", text: words, direction: "in" },
        { content_type: "audio_asset_pointer", asset_pointer: "sediment://x" },
      ],
    });
    const found = read(chatGpt({ role: "user", content: said("Hello?") }, { content: said("Hi.") }));
    expect(found.said).toEqual([
      ["user", "Hello?", null],
      ["assistant", "Hi.", 0],
    ]);
    expect(found.leftOut).toEqual({ "attachments and images": 2 });
  });

  const mark = (inner: string) => `\ue200${inner}\ue201`;
  const cite = mark("cite\ue202turn0search0");
  it.each([
    ["by what ChatGPT shows", { alt: "([Sea](https://a.example))" }, "([Sea](https://a.example))"],
    [
      "by their pages",
      { items: [{ title: "Sea [1]", url: "https://a.example/x y" }, { url: "https://b.example/" }, {}] },
      "([Sea \\[1\\]](<https://a.example/x%20y>), [b.example](<https://b.example/>))",
    ],
    [
      "to the web alone",
      {
        items: [{ url: "javascript:alert(1)" }, { url: "/settings/members" }, { url: "mailto:a>@b.example" }],
      },
      "([a\\>@b.example](<mailto:a%3E@b.example>))",
    ],
    ["by nothing", { alt: null }, ""],
  ])("links citations %s", (_, reference, link) => {
    const content_references = [null, { matched_text: " ", alt: "!" }, { matched_text: cite, ...reference }];
    const content = text(`Tides are high ${cite} today.`);
    expect(textsOf({ content, metadata: { content_references } })).toEqual([
      link === "" ? "Tides are high today." : `Tides are high ${link} today.`,
    ]);
  });

  it("removes marks without a page, names entities, and leaves other brackets", () => {
    const entity = mark('entity\ue202["city","Oslo","capital"]');
    expect(
      textsOf({ content: text(`In ${entity}${cite} 【東京】 it rains${mark("i\ue202{}")}【3†source】.`) }),
    ).toEqual(["In Oslo 【東京】 it rains."]);
  });

  it("links citations of 2023 by their position", () => {
    const citations = [
      { start_ix: 4, end_ix: 14, metadata: { title: "Sea", url: "https://a.example" } },
      { start_ix: -1, end_ix: 3, metadata: { url: "https://b.example" } },
    ];
    expect(textsOf({ content: text("😀 ab【1†source】."), metadata: { citations } })).toEqual([
      "😀 ab([Sea](<https://a.example/>)).",
    ]);
  });

  it("bounds what links add", () => {
    const content_references = [{ matched_text: mark(""), alt: "x".repeat(2_000) }];
    const [found = ""] = textsOf({
      content: text(mark("").repeat(100_000)),
      metadata: { content_references },
    });
    expect(String(found).length).toBe(100_000);
  });

  const canvas = (name: string, call: unknown) => ({
    content: { content_type: "code", text: typeof call === "string" ? call : JSON.stringify(call) },
    recipient: `canmore.${name}`,
  });
  it("has the documents of its canvas, also rewritten ones", () => {
    const found = read(
      chatGpt(
        { role: "user", content: text("Write") },
        canvas("create_textdoc", { name: "letter", type: "document", content: "Dear Ann" }),
        canvas("create_textdoc", { type: "code/python", content: "a = '''```'''" }),
        canvas("update_textdoc", { updates: [{ pattern: ".*", replacement: "Dear Bob" }] }),
        canvas("update_textdoc", { updates: [{ pattern: "(a+)+$", replacement: "x" }] }),
        canvas("comment_textdoc", "not JSON"),
        { content: text("Here is the letter.") },
      ),
    );
    expect(found.said[1]?.[1]).toBe(
      "Dear Ann\n\n````python\na = '''```'''\n````\n\nDear Bob\n\nHere is the letter.",
    );
    expect(found.leftOut).toEqual({ "edits of canvas documents": 2 });
  });

  it("fences code that has many fences in it", () => {
    const content = "```\n".repeat(200_000);
    const [code] = textsOf(canvas("create_textdoc", { type: "code/markdown", content }));
    expect(String(code).startsWith("````markdown\n```\n")).toBe(true);
  });
});

describe("Claude", () => {
  const said = (uuid: string, sender: string, content: unknown, more: object = {}) => ({
    uuid,
    sender,
    text: "This block is not supported.",
    content,
    created_at: "2025-05-01T10:00:00Z",
    ...more,
  });
  const words = (text: string) => [{ type: "text", text }];
  const claude = (chat_messages: unknown[], more: object = {}) => ({
    uuid: "c1",
    name: "Plan",
    created_at: "2025-05-01T09:00:00Z",
    updated_at: "2025-05-01T11:00:00Z",
    chat_messages,
    ...more,
  });

  it("is read with branches, artifacts and counts", () => {
    const artifact = (input: object) => ({ type: "tool_use", name: "artifacts", input });
    const code = { type: "application/vnd.ant.code", language: "rust", content: "fn main() {}" };
    const found = read(
      claude(
        [
          said("q", "human", words("Hello"), { attachments: [{ file_name: "a" }], files: [{}] }),
          said("a", "assistant", words("First"), { parent_message_uuid: "q" }),
          said(
            "b",
            "assistant",
            [
              { type: "thinking", thinking: "hm" },
              ...words("Second"),
              artifact({ type: "text/markdown", content: "# Plan" }),
              artifact(code),
              artifact({ type: "image/svg+xml", content: "<svg/>" }),
              artifact({ command: "update", old_str: "a", new_str: "b" }),
            ],
            { parent_message_uuid: "q" },
          ),
          { uuid: 1 },
        ],
        { current_leaf_message_uuid: "a" },
      ),
    );
    expect(found).toEqual({
      source: "claude:c1",
      title: "Plan",
      model: null,
      createdAt: Date.parse("2025-05-01T09:00:00Z"),
      updatedAt: Date.parse("2025-05-01T11:00:00Z"),
      shown: 1,
      said: [
        ["user", "Hello", null],
        ["assistant", "First", 0],
        ["assistant", "Second\n\n# Plan\n\n```rust\nfn main() {}\n```\n\n```svg\n<svg/>\n```", 0],
      ],
      leftOut: { "attachments and images": 2, "tool calls and system messages": 3 },
    });
  });

  it("of older exports is a list of texts", () => {
    const old = (uuid: string, sender: string, text: string) => ({ uuid, sender, text });
    const found = read(claude([old("q", "human", "Hello"), old("a", "assistant", "Hi")]));
    expect(found.said).toEqual([
      ["user", "Hello", null],
      ["assistant", "Hi", 0],
    ]);
  });

  it("whose messages lead in a circle is read as far as possible", () => {
    const a = said("a", "human", words("A"), { parent_message_uuid: "b" });
    const b = said("b", "assistant", words("B"), { parent_message_uuid: "a" });
    expect(read(claude([a, b])).said.map(([, text]) => text)).toEqual(["A", "B"]);
  });
});

describe("Open WebUI", () => {
  const said = (id: string, parentId: string | null, role: string, content: unknown, more: object = {}) => ({
    id,
    parentId,
    role,
    content,
    timestamp: 1_700_000_000,
    ...more,
  });
  const chat = (messages: { id: string }[], currentId: string, more: object = {}) => ({
    id: "w1",
    title: "Plan",
    created_at: 1_700_000_000,
    updated_at: 1_700_000_900,
    chat: {
      models: ["llama3"],
      history: { messages: Object.fromEntries(messages.map((one) => [one.id, one])), currentId },
      messages: [],
    },
    ...more,
  });

  it("is read with its branches, without thoughts and calls of tools", () => {
    const thought = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> hm\n</details>';
    const found = read(
      chat(
        [
          said("q", null, "user", "Hello", { files: [{}] }),
          said("a", "q", "assistant", `${thought}\nFirst <details>kept</details>`, { model: "llama3:8b" }),
          said("b", "q", "assistant", 'Second <details type="tool_calls" open'),
          said("s", "a", "system", "Be brief"),
          said("r", "s", "user", [{ type: "text", text: "Look" }, { type: "image_url" }]),
        ],
        "r",
      ),
    );
    expect(found).toEqual({
      source: "open-webui:w1",
      title: "Plan",
      model: "llama3:8b",
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_900_000,
      shown: 3,
      said: [
        ["user", "Hello", null],
        ["assistant", "First <details>kept</details>", 0],
        ["assistant", 'Second <details type="tool_calls" open', 0],
        ["user", "Look", 1],
      ],
      leftOut: { "attachments and images": 2, "tool calls and system messages": 2 },
    });
  });

  it.each([
    ["in a circle", [said("a", "b", "user", "A"), said("b", "a", "assistant", "B")], "b", ["A", "B"]],
    ["with a forged position", [said("a", null, "user", "A")], "__proto__", ["A"]],
  ])("is read as far as possible %s", (_, messages, current, texts) => {
    expect(read(chat(messages, current)).said.map(([, text]) => text)).toEqual(texts);
  });
});

describe("LobeChat", () => {
  const said = (id: string, role: string, content: string, more: object = {}) => ({
    id,
    role,
    content,
    createdAt: 1_700_000_000_000,
    ...more,
  });
  const messages = [
    said("b", "assistant", "Hi", {
      topicId: "t",
      parentId: "a",
      model: "gpt-4o",
      createdAt: 1_700_000_001_000,
    }),
    said("a", "user", "Hello", { topicId: "t", sessionId: "s" }),
    said("c", "assistant", "Hey", { topicId: "t", parentId: "a", createdAt: 1_700_000_002_000 }),
    said("d", "user", "Outside", { sessionId: "s" }),
    said("e", "tool", "{}", { sessionId: "s" }),
    { id: 1 },
  ];
  const sessions = [{ id: "s", meta: { title: "Helper" } }];
  const topics = [{ id: "t", title: "Greeting" }, "?"];

  it.each([
    ["the browser", { exportType: "all", state: { messages, sessions, topics }, version: 7 }],
    ["the server", { mode: "postgres", schemaHash: "x", data: { messages, sessions, topics } }],
  ])("exported by %s has a conversation per topic", (_, value) => {
    const found = readAll(value).map(({ source, title, model, messages, leftOut }) => ({
      source,
      title,
      model,
      said: messages.map(({ text, parent }) => [text, parent]),
      leftOut: Object.fromEntries(leftOut),
    }));
    expect(found).toEqual([
      {
        source: 'lobechat:["topic","t"]',
        title: "Greeting",
        model: "gpt-4o",
        said: [
          ["Hello", null],
          ["Hi", 0],
          ["Hey", 0],
        ],
        leftOut: { "tool calls and system messages": 1 },
      },
      {
        source: 'lobechat:["session","s"]',
        title: "Helper",
        model: null,
        said: [["Outside", null]],
        leftOut: { "tool calls and system messages": 1 },
      },
    ]);
  });
});
