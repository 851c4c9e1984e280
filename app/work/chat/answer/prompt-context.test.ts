import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { textPart } from "../chat.service.server";
import { fitContext, type HistoryMessage } from "./prompt.server";

const message = (id: string, role: "user" | "assistant", words: number): HistoryMessage => ({
  id,
  role,
  parts: textPart("word ".repeat(words)),
});

describe("fitContext", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    // gpt-4 has a context of 8,192 tokens, of which a quarter is kept for the answer; the other one's is unknown.
    const config = { baseUrl: "http://lab.example/v1", models: ["gpt-4", "unknown-model"] };
    const row = {
      id: "prv_1",
      orgId: test.actors.member.orgId,
      type: "custom",
      displayName: "Lab",
      enabled: true,
    };
    transaction((tx) =>
      insertProviderRow(tx, {
        ...row,
        priority: 0,
        models: [],
        config,
        createdAt: 1,
        updatedAt: 1,
        modelsAt: null,
      }),
    );
  });
  afterEach(() => test.close());

  const sentOf = (
    earlier: Iterable<HistoryMessage>,
    { words = 10, model = "gpt-4", system = "Be brief.", begun = 0 } = {},
  ) => {
    const question = message("question", "user", words);
    const { history, trimmed } = fitContext({
      orgId: test.actors.member.orgId,
      model,
      system,
      tools: [],
      passages: 0,
      question,
      ...(begun > 0 && { begun: message("begun", "assistant", begun) }),
      earlier,
    });
    return { sent: history.map(({ id }) => id), trimmed };
  };
  const turns = (count: number, words: number) =>
    Array.from({ length: count }, (_, n) => [
      message(`answer ${n}`, "assistant", words),
      message(`question ${n}`, "user", words),
    ]).flat();

  it("keeps all of a short conversation", () => {
    expect(sentOf(turns(2, 10))).toEqual({
      sent: ["question 1", "answer 1", "question 0", "answer 0", "question"],
      trimmed: undefined,
    });
  });

  it("keeps the newest whole turns and reads nothing older", () => {
    const read: string[] = [];
    function* earlier() {
      for (const one of turns(100, 900)) {
        read.push(one.id);
        yield one;
      }
    }
    const { sent, trimmed } = sentOf(earlier());
    expect(sent.slice(-3)).toEqual(["question 0", "answer 0", "question"]);
    expect(sent.length % 2).toBe(1);
    expect(trimmed).toEqual({ firstSentId: sent[0], contextLength: 8192 });
    expect(sent[0]).toMatch(/^question \d$/);
    expect(read.length).toBeLessThan(sent.length + 2);
  });

  it("keeps less with a long system prompt, and only the question if no turn fits", () => {
    expect(sentOf(turns(1, 900), { system: "word ".repeat(5000) })).toEqual({
      sent: ["question"],
      trimmed: { firstSentId: "question", contextLength: 8192 },
    });
  });

  it("leaves room for what there is of an answer that goes on", () => {
    expect(sentOf(turns(4, 900)).sent).toHaveLength(7);
    expect(sentOf(turns(4, 900), { begun: 4000 }).sent).toHaveLength(3);
    expect(() => sentOf([], { begun: 7000 })).toThrow(/^This answer with its question is too long/);
  });

  it("refuses a question that doesn't fit alone", () => {
    expect(() => sentOf([], { words: 9000 })).toThrow(
      /^This message is too long for gpt-4: it has about \d,\d{3} tokens, and 6,\d{3} of the model's context of 8,192/,
    );
  });

  it("keeps everything if the context length is unknown", () => {
    expect(sentOf(turns(50, 900), { model: "unknown-model" }).sent).toHaveLength(101);
  });
});
