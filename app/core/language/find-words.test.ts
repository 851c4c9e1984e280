import { describe, expect, it } from "vitest";
import { searchMatcher } from "./find-terms";
import { textMatcher } from "./find-words.shared";

const FOUND: readonly (readonly [query: string, text: string])[] = [
  ["strassenverkehrsordnung", "Die Straßenverkehrsordnung"],
  ["Straße", "STRASSE 5"],
  ["Schluesselverlust", "Schlüsselverlust"],
  ["Müller", "Mueller"],
  ["Mueller", "Müller"],
  ["Søren", "Soeren"],
  ["soren", "Søren"],
  ["uebersicht", "Übersicht der Märkte"],
  ["resume", "Re\u0301sume\u0301"],
  ["Łódź", "lodz"],
  ["ISTANBUL", "istanbul"],
  ["istanbul", "İSTANBUL"],
  ["ısparta", "Isparta"],
  ["αθηνα", "ΑΘΉΝΑ"],
  ["ΣΟΦΟΣ", "σοφός"],
  ["отчет", "Отчёт"],
  ["ｶﾞｲﾄﾞ", "ガイド"],
  ["ガイド", "ｶﾞｲﾄﾞ 2"],
  ["ＡＢＣ１２", "abc12"],
  ["abc 12", "ＡＢＣ\u3000１２"],
  ["ﬁnance", "Finance"],
  ["١٢٣", "No. 123"],
  ["اجازه سنويه", "إجازة سنوية"],
  ["الإجازة", "إجازة سنوية"],
  ["إجازة", "كم مدة الإجازة"],
  ["للموظف", "موظف"],
  ["שלום", "שָׁלוֹם"],
  ["החופשה", "חופשה שנתית"],
  ["חופשה", "בחופשה"],
  ["假期", "我的假期申请"],
  ["期", "假期"],
  ["การลา", "แบบฟอร์มการลา"],
  ["휴가", "연차휴가 신청"],
  ["kosten", "Reisekostenabrechnung"],
  ["abrechnung reise", "Reisekostenabrechnung"],
  ["reise\u00adkosten", "Reisekosten"],
  ["reisekosten", "Reise\u00adkosten"],
  ["C++", "C++ and C#"],
  ["", "anything"],
];

it.each(FOUND)("%s finds %s, in the browser as on the server", (query, text) => {
  expect([textMatcher(query)(text), searchMatcher(query)(text)]).toEqual([true, true]);
});

describe("a matcher", () => {
  it.each([
    ["true", "a trunk"],
    ["does", "dosage"],
    ["blue", "a blur"],
    ["al", "ماله"],
    ["reise antrag", "Reisekosten"],
    ["假日", "假期"],
    ["C++", "C#"],
  ])("with %s doesn't find %s", (query, text) => {
    expect([textMatcher(query)(text), searchMatcher(query)(text)]).toEqual([false, false]);
  });

  it("takes traditional for simplified characters on the server alone", () => {
    expect([textMatcher("停车位")("停車位"), searchMatcher("停车位")("停車位")]).toEqual([false, true]);
  });

  it("looks at eight words", () => {
    expect(searchMatcher("a b c d e f g h nowhere")("a b c d e f g h")).toBe(true);
  });
});
