import { describe, expect, it } from "vitest";
import type { HistoryMessage } from "../answer/prompt.server";
import type { MessagePart } from "../chat.schema";
import { contextTokens } from "./context-use.shared";
import { fitContext } from "./fit-context.server";

const LENGTH = 8192;

const message = (id: string, role: "user" | "assistant", words: number): HistoryMessage => ({
  id,
  role,
  parts: [{ type: "text", id: "0", text: "word ".repeat(words) }],
});

/** Newest first. */
const turns = (count: number, words: number) =>
  Array.from({ length: count }, (_, n) => [
    message(`answer ${n}`, "assistant", words),
    message(`question ${n}`, "user", words),
  ]).flat();

type Input = Parameters<typeof fitContext>[0];

const fitted = (earlier: Iterable<HistoryMessage>, changes: Partial<Input> = {}) =>
  fitContext({
    model: "gpt-4",
    length: LENGTH,
    answer: 4096,
    summarizeAt: 0.8,
    system: "Be brief.",
    tools: [],
    passages: 0,
    question: message("question", "user", 10),
    earlier,
    summaries: [],
    ...changes,
  });

const idsOf = (messages: readonly HistoryMessage[] = []) => messages.map(({ id }) => id);

const summaryAt = (messageId: string, undoneAt: number | null = null) => ({
  messageId,
  text: "They spoke of ships.",
  documents: [],
  undoneAt,
});

describe("without a summary", () => {
  it("keeps all of a short conversation", () => {
    const { history, trimmed, long } = fitted(turns(2, 10));
    expect(idsOf(history)).toEqual(["question 1", "answer 1", "question 0", "answer 0", "question"]);
    expect([trimmed, long]).toEqual([undefined, undefined]);
  });

  it("keeps the newest whole turns that fit", () => {
    const { history, trimmed } = fitted(turns(100, 900));
    const ids = idsOf(history);
    expect(ids.slice(-3)).toEqual(["question 0", "answer 0", "question"]);
    expect(ids.length % 2).toBe(1);
    expect(ids[0]).toMatch(/^question \d$/);
    expect(trimmed).toEqual({ firstSentId: ids[0], contextLength: LENGTH });
  });

  it("keeps less with a long system prompt, and only the question if no turn fits", () => {
    const { history, trimmed } = fitted(turns(1, 900), { system: "word ".repeat(5000) });
    expect(idsOf(history)).toEqual(["question"]);
    expect(trimmed).toEqual({ firstSentId: "question", contextLength: LENGTH });
  });

  it("leaves room for what there is of an answer that goes on, which its end counts", () => {
    const begun = (words: number) => ({ begun: message("begun", "assistant", words) });
    expect(fitted(turns(4, 900)).history).toHaveLength(7);
    const { history, use } = fitted(turns(4, 900), begun(4000));
    expect([history.length, use.turns < 2000]).toEqual([3, true]);
    expect(() => fitted([], begun(7000))).toThrow(/^This answer with its question is too long/);
    const decided = fitted(turns(1, 10), { ...begun(7000), isDecided: true });
    expect(idsOf(decided.history)).toEqual(["question"]);
    expect(decided.trimmed).toBeDefined();
  });

  it("refuses a question that doesn't fit alone", () => {
    expect(() => fitted([], { question: message("question", "user", 9000) })).toThrow(
      /^This message is too long for gpt-4: it has about \d,\d{3} tokens, and 6,\d{3} of the model's context of 8,192/,
    );
  });

  it("keeps everything if the context's length is unknown", () => {
    const { history, long, use } = fitted(turns(50, 900), { length: undefined });
    expect([history.length, long, use.length]).toEqual([101, undefined, undefined]);
  });
});

describe("a long conversation", () => {
  it("has all but the newest turns summarized from its share on", () => {
    const earlier = turns(8, 200);
    expect(fitted(earlier).long).toBeUndefined();
    const { history, trimmed, long } = fitted(earlier, { summarizeAt: 0.3 });
    // Until there is a summary, what fits is sent.
    expect([history.length, trimmed]).toEqual([17, undefined]);
    expect(idsOf(long?.messages)[0]).toBe("question 7");
    const after = long?.withSummary(summaryAt(long.messages.at(-1)?.id ?? ""));
    expect(idsOf([...(long?.messages ?? []), ...(after?.history ?? [])])).toEqual(idsOf(history));
    expect(after?.summary?.text).toBe("They spoke of ships.");
    expect(contextTokens(after?.use ?? fitted([]).use)).toBeLessThan(LENGTH / 3);
  });

  it("has what doesn't fit summarized, even if its owner undid that before", () => {
    const { trimmed, long } = fitted(turns(20, 300), { summaries: [summaryAt("answer 12", 1)] });
    expect(trimmed).toBeDefined();
    expect(idsOf(long?.messages)[0]).toBe("question 19");
    expect(long?.before).toBeUndefined();
    expect(long?.withSummary(summaryAt("answer 3")).trimmed).toBeUndefined();
  });

  it("isn't summarized again above its share alone once that was undone", () => {
    const earlier = turns(8, 200);
    const summaries = [summaryAt("answer 4", 1)];
    expect(fitted(earlier, { summarizeAt: 0.3, summaries }).long).toBeUndefined();
  });

  it("is read back for a few contexts, beyond which messages are left out", () => {
    const read: string[] = [];
    function* earlier() {
      for (const one of turns(400, 300)) {
        read.push(one.id);
        yield one;
      }
    }
    const { long } = fitted(earlier());
    expect(read.length).toBeLessThan(150);
    const first = long?.messages[0]?.id;
    expect(first).toMatch(/^question \d\d$/);
    expect(long?.withSummary(summaryAt("answer 3")).trimmed?.firstSentId).toBe(first);
  });

  it.each([
    ["a small share", {}],
    ["instructions that fill the share", { system: "word ".repeat(40_000) }],
  ])("isn't summarized again by the next answers, with %s", (_, changes) => {
    const given = { length: 100_000, summarizeAt: 0.3, ...changes };
    const earlier = turns(12, 2500);
    const { long } = fitted(earlier, given);
    const last = long?.messages.at(-1)?.id ?? "";
    const written = { ...summaryAt(last), text: "word ".repeat((long?.limits.summary ?? 0) * 0.9) };
    const next = [message("a", "assistant", 2500), message("q", "user", 2500), ...earlier];
    const again = fitted(next, { ...given, summaries: [written] });
    expect([last !== "", again.long, again.summary]).toEqual([true, undefined, written]);
  });

  it("isn't summarized for a few words", () => {
    expect(fitted(turns(1, 40), { summarizeAt: 0, length: 4096 }).long).toBeUndefined();
  });
});

describe("a summary", () => {
  it("stands for its messages, which aren't read", () => {
    const read: string[] = [];
    function* earlier() {
      for (const one of turns(6, 10)) {
        read.push(one.id);
        yield one;
      }
    }
    const { history, summary, use, long } = fitted(earlier(), { summaries: [summaryAt("answer 2")] });
    expect(idsOf(history)).toEqual(["question 1", "answer 1", "question 0", "answer 0", "question"]);
    expect(summary?.messageId).toBe("answer 2");
    expect(use.summary).toBeGreaterThan(20);
    expect(read.at(-1)).toBe("answer 2");
    expect(long).toBeUndefined();
  });

  it("stands for them where the context's length is unknown, too", () => {
    const { history, summary } = fitted(turns(6, 10), {
      length: undefined,
      summaries: [summaryAt("answer 0")],
    });
    expect([idsOf(history), summary?.messageId]).toEqual([["question"], "answer 0"]);
  });

  it("is taken up into the next one", () => {
    const { long } = fitted(turns(12, 200), { summarizeAt: 0.3, summaries: [summaryAt("answer 9")] });
    expect(long?.before?.messageId).toBe("answer 9");
    expect(idsOf(long?.messages)[0]).toBe("question 8");
  });

  it("of another branch stands for nothing", () => {
    expect(fitted(turns(2, 10), { summaries: [summaryAt("elsewhere")] }).summary).toBeUndefined();
  });

  it("too long for the room is left out and taken up into the next one", () => {
    const long = { ...summaryAt("answer 3"), text: "word ".repeat(7000) };
    const found = fitted(turns(5, 200), { summaries: [long] });
    expect([found.summary, found.trimmed?.firstSentId]).toEqual([undefined, "question 2"]);
  });
});

it("counts what fills the context: passages by themselves, and thoughts that a provider wants back", () => {
  const passage = { index: 1, title: "Ropes", url: "/rag/doc_1#chunk-1", text: "rope ".repeat(100) };
  const search: MessagePart = {
    type: "tool",
    toolCallId: "c1",
    toolName: "qdrant.search",
    state: "done",
    input: { query: "ropes" },
    output: { passages: [passage] },
  };
  const answer: HistoryMessage = { id: "a", role: "assistant", parts: [search] };
  const { use } = fitted([answer, message("q", "user", 10)]);
  expect(use.passages).toBeGreaterThan(100);
  expect(use.turns).toBeLessThan(60);
  expect(use.system).toBeGreaterThan(0);
  const thought: HistoryMessage = {
    ...answer,
    parts: [{ type: "reasoning", id: "0", text: "hm ".repeat(400) }],
    stepStates: [{ step: 0, writtenBy: "prv/m", parts: {} }],
  };
  expect(fitted([thought, message("q", "user", 10)]).use.turns).toBeGreaterThan(200);
});
