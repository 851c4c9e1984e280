import { describe, expect, it } from "vitest";
import { processorMs } from "../../../tests/support/processor-time";
import { bestSentences, countKeywords, keywordsOf, wordsOf } from "./quote.shared";

describe("a text's words", () => {
  it("ignore case and form, and are single characters where there are no spaces", () => {
    expect(wordsOf("Ｔravel–Costs, 2nd Edition")).toEqual(["travel", "costs", "2nd", "edition"]);
    expect(wordsOf("休暇 policy")).toEqual(["休", "暇", "policy"]);
    expect(wordsOf(" … ")).toEqual([]);
  });
});

describe("a question's keywords", () => {
  it("exclude common question words", () => {
    expect(keywordsOf("How many holidays do we have?")).toEqual(new Set(["holiday"]));
    expect(keywordsOf("Wie viele Tage sind es?")).toEqual(new Set(["viel", "tag"]));
  });

  it("are all its words if all are common", () => {
    expect(keywordsOf("Who are you?")).toEqual(new Set(["who", "are", "you"]));
  });

  it("are found in other forms of the word, each once", () => {
    const keywords = keywordsOf("reimbursed expenses");
    expect(countKeywords("We reimburse an expense; other expenses wait.", keywords)).toBe(2);
    expect(countKeywords("Nothing here.", keywords)).toBe(0);
  });
});

describe("the best sentences", () => {
  const text =
    "The office opens at eight. Visitors sign in at the desk. Travel costs are paid back within ten days. Keep the receipts. The canteen closes at two. Parking is free.";

  it("are all of a short text", () => {
    expect(bestSentences("  Short.  ", "anything", 100)).toBe("Short.");
  });

  it("start with the best match and continue as far as there is room", () => {
    expect(bestSentences(text, "When are travel costs paid?", 80)).toBe(
      "… Travel costs are paid back within ten days. Keep the receipts. …",
    );
  });

  it("include preceding sentences at the end of the text", () => {
    expect(bestSentences(text, "parking", 45)).toBe("… The canteen closes at two. Parking is free.");
  });

  it("are the beginning if nothing matches", () => {
    expect(bestSentences(text, "zebra", 60)).toBe(
      "The office opens at eight. Visitors sign in at the desk. …",
    );
  });

  it("treat a table's lines separately", () => {
    const table = Array.from({ length: 40 }, (_, row) => `| part ${row} | ${row * 3} |`).join("\n");
    expect(bestSentences(table, "part 17", 40)).toContain("| part 17 | 51 |");
  });

  it("cut an endless sentence around its match, between words", () => {
    const long = `${"lorem ipsum ".repeat(200)}the zebra sleeps ${"dolor sit ".repeat(200)}`;
    const cut = bestSentences(long, "zebra", 120);
    expect(cut).toContain("zebra sleeps");
    expect(cut.length).toBeLessThanOrEqual(124);
    expect(cut).toMatch(/^… (lorem|ipsum) .* (dolor|sit) …$/);
    expect(bestSentences("x".repeat(5000), "zebra", 100)).toHaveLength(104);
  });

  it("stay quick with hostile text", () => {
    const started = process.threadCpuUsage();
    bestSentences(`${" \n".repeat(50_000)}a`, "a", 100);
    bestSentences(`a${" ".repeat(60_000)}a`, "a", 100);
    bestSentences(". ".repeat(50_000), "a", 100);
    bestSentences(`a${"!".repeat(100_000)}`, "a", 100);
    expect(processorMs(started)).toBeLessThan(1500);
  });
});
