import { describe, expect, it } from "vitest";
import { findTerms, locateWords, searchedWords, termsOf } from "./find-terms";

const marked = (text: string, query: string) => {
  let result = "";
  let end = 0;
  for (const { from, to } of locateWords(text, searchedWords(query))) {
    result += `${text.slice(end, from)}[${text.slice(from, to)}]`;
    end = to;
  }
  return result + text.slice(end);
};

describe("a message's terms", () => {
  it("are its folded words, then parts of compounds", () => {
    expect(findTerms("Die Straße, Zugtag")).toBe("die strasse zugtag asse sse tag");
    expect(termsOf("zug-tag")).toEqual(["zug tag"]);
  });

  it("have no parts in an English text", () => {
    expect(findTerms("the generated report")).toBe("the generated report");
  });

  it("have Arabic and Hebrew words without what is joined to them", () => {
    expect(findTerms("والإجازة").split(" ")).toContain("اجازه");
    expect(findTerms("בחופשה").split(" ")).toContain("חופשה");
    expect(findTerms("ورد")).toBe("ورد");
  });

  it("have pairs of characters, and the last one alone", () => {
    expect(findTerms("AI假期表 x")).toBe("ai 假期 期表 x 表");
  });

  it("are bounded for hostile texts", () => {
    const words = Array.from({ length: 500 }, (_, at) =>
      `${at}`
        .replace(/\d/g, (d) => "abcdefghij"[+d] ?? "")
        .padStart(5, "k")
        .repeat(8)
        .slice(0, 39),
    );
    expect(findTerms(words.join(" ")).split(" ")).toHaveLength(4500);
  });
});

describe("words in a text", () => {
  it.each([
    ["High WATER, the water's édge", "wat edge", "High [WATER], the [water]'s [édge]"],
    ["Die Reisekosten", "kosten", "Die Reise[kosten]"],
    ["Große Straße", "strasse", "Große [Straße]"],
    ["weißer Straßenkosten", "kosten", "weißer Straßen[kosten]"],
    ["ﬁﬁx Löschkosten", "kosten", "ﬁﬁx Lösch[kosten]"],
    ["İİstanbul, İstanbul", "istanbul", "İİstanbul, [İstanbul]"],
    ["我的假期申请", "假期", "我的[假期]申请"],
    ["假期、假期间", "假期", "[假期]、[假期]间"],
    ["新しいｶﾞｲﾄﾞ本", "ガイド", "新しい[ｶﾞｲﾄﾞ]本"],
    ["停車位申請", "申请", "停車位[申請]"],
    ["مدة الإِجازةِ السنوية", "اجازة", "مدة ال[إِجازةِ] السنوية"],
    ["Reise\u00adkosten", "reisekosten", "[Reise\u00adkosten]"],
    ["𝐑eport and more", "report", "[𝐑eport] and more"],
    ["the generated rate", "rate", "the generated [rate]"],
    ["有AI助理", "ai助理", "有[AI][助理]"],
    ["แบบฟอร์มการลา", "การลา", "แบบฟอร์ม[การลา]"],
    ["nothing here", "zebra", "nothing here"],
  ])("are marked in %s for %s", (text, query, expected) => {
    expect(marked(text, query)).toBe(expected);
  });
});
