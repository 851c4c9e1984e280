import { describe, expect, it } from "vitest";
import type { QuotedPassage } from "../quoted-passages.shared";
import { answerOffline, quotePassages } from "./offline-answer";

const passage = (number: number, text: string, more: Partial<QuotedPassage> = {}): QuotedPassage => ({
  number,
  title: "Handbook",
  text,
  headings: ["People", "Holidays"],
  page: 3,
  url: `/rag/doc_1?from=${number}00&to=${number}99#passage`,
  score: 1 / number,
  scores: { keyword: 2, similarity: null, rerank: null },
  ...more,
});

describe("the built-in model's answer from documents", () => {
  it("quotes at most three passages with their place and a numbered link each", () => {
    const passages = [1, 2, 3, 4].map((number) => passage(number, `Holidays, part ${number}.`));
    const text = quotePassages({ passages }, "How many holidays?") ?? "";
    expect(text).toContain(
      "[1](/rag/doc_1?from=100&to=199#passage) **Handbook** · People › Holidays, page 3\n\n> Holidays, part 1.",
    );
    expect(text).toContain("[3](");
    expect(text).not.toContain("[4](");
  });

  it("shortens a passage to the sentences that fit", () => {
    const text = quotePassages(
      {
        passages: [
          passage(
            1,
            `${"Lunch is at noon. ".repeat(60)}Everyone has 28 holidays a year. ${"Bye. ".repeat(60)}`,
          ),
        ],
      },
      "How many holidays does everyone have?",
    );
    expect(text).toContain("Everyone has 28 holidays a year.");
    expect(text?.length).toBeLessThan(700);
  });

  it("leaves out what shares nothing with the question, unless its meaning is very near", () => {
    const far = { headings: [], title: "Other", scores: { keyword: null, similarity: 0.1, rerank: null } };
    const near = { ...far, scores: { keyword: null, similarity: 0.7, rerank: null } };
    expect(quotePassages({ passages: [passage(1, "Engines need oil.", far)] }, "holidays?")).toMatch(
      /^No matching passages\. Try other words, .*\(\/rag\?.*\)\.$/s,
    );
    expect(quotePassages({ passages: [passage(1, "Time off is granted.", near)] }, "holidays?")).toContain(
      "> Time off is granted.",
    );
  });

  it("leaves out what has half of the question's words or fewer, where another has more", () => {
    const passages = [
      passage(1, "28 days of holidays."),
      passage(2, "Within ten days.", { headings: [], title: "B" }),
    ];
    const text = quotePassages({ passages }, "How many days of holidays?") ?? "";
    expect(text).toContain("28 days");
    expect(text).not.toContain("ten days");
  });

  it("passes on why nothing, or less than all, was found", () => {
    expect(quotePassages({ passages: [], notice: "RAG is switched off." }, "holidays?")).toBe(
      "RAG is switched off.",
    );
    const some = { passages: [passage(1, "Holidays.")], notice: "Searched by keywords only." };
    expect(quotePassages(some, "holidays?")).toMatch(/> Holidays\.\n\nSearched by keywords only\.$/);
  });

  it("escapes links, headings and code of documents", () => {
    const text = quotePassages(
      {
        passages: [
          passage(1, "# Holidays\n- [click](/settings) `x` <b>now</b>\n1. **all**", {
            title: "A [b](/c)\n*d*",
          }),
        ],
      },
      "holidays?",
    );
    expect(text).toContain("**A \\[b\\](/c) \\*d\\***");
    expect(text).toContain(
      "> \\# Holidays  \n> \\[click\\](/settings) \\`x\\` \\<b\\>now\\</b\\>  \n> 1\\. \\*\\*all\\*\\*",
    );
  });

  it("has no word for the result of anything else, and takes no foreign address", () => {
    expect(quotePassages({ text: "a page" }, "x")).toBeUndefined();
    expect(quotePassages("text", "x")).toBeUndefined();
    for (const url of [
      "https://evil.example/rag/1",
      "//evil.example",
      "/api/rag/x",
      "/rag/x) [y](/z",
      "javascript:x",
    ]) {
      expect(quotePassages({ passages: [passage(1, "Holidays.", { url })] }, "holidays")).not.toContain(url);
    }
  });
});

describe("the built-in model and a question", () => {
  const tools = [
    {
      type: "function" as const,
      name: "qdrant__search",
      inputSchema: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      } as never,
    },
    {
      type: "function" as const,
      name: "kv__get",
      inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] } as never,
    },
  ];
  const say = (text: string) => [{ role: "user" as const, content: [{ type: "text" as const, text }] }];

  it("searches the documents for it, unless a tool is named, tools are ruled out, or nothing is asked", () => {
    expect(answerOffline({ prompt: say(" How many holidays? "), tools })).toMatchObject({
      call: { tool: "qdrant__search", input: { query: "How many holidays?" } },
    });
    expect(answerOffline({ prompt: say("What can you do about holidays?"), tools })).toHaveProperty("call");
    expect(answerOffline({ prompt: say("kv.get greeting"), tools })).toMatchObject({
      call: { tool: "kv__get" },
    });
    expect(answerOffline({ prompt: say("qdrant.search holidays"), tools })).toMatchObject({
      call: { tool: "qdrant__search", input: { query: "holidays" } },
    });
    for (const call of [
      { prompt: say("How many holidays?"), tools, toolChoice: { type: "none" as const } },
      { prompt: say("How many holidays?"), tools: tools.slice(1) },
      { prompt: say("Hello there!"), tools },
      { prompt: say("Hello! What can you do for me?"), tools },
      { prompt: say("What can you do for me, and with which tools?"), tools },
      { prompt: say("?!"), tools },
    ]) {
      expect(answerOffline(call)).not.toHaveProperty("call");
    }
  });

  it("quotes the passages and introduces itself", () => {
    const value = {
      passages: [passage(1, "Everyone has 28 holidays."), passage(2, "Engines.", { headings: [] })],
    };
    const { text } = answerOffline({
      tools,
      prompt: [
        ...say("How many holidays do we have?"),
        {
          role: "assistant",
          content: [
            {
              type: "tool-call",
              toolCallId: "1",
              toolName: "qdrant__search",
              input: { query: "How many holidays?" },
            },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "1",
              toolName: "qdrant__search",
              output: { type: "json", value: value as never },
            },
          ],
        },
      ],
    });
    expect(text).toContain("> Everyone has 28 holidays.");
    expect(text).not.toContain("Engines");
    expect(text).toContain("not a language model");
  });
});
