import { describe, expect, it } from "vitest";
import { analyzeText, indexTerms } from "./analysis";
import { NO_LANGUAGE } from "./language-codes";
import { isRelated, relatedWords } from "./related-words";
import { stem } from "./terms";
import { Vocabulary } from "./vocabulary";

/** The index's terms that a query's only word is looked for in, without FTS5's quotation marks. */
function related(language: string, text: string, query: string, isKnown = false): string[] {
  const terms = indexTerms(text, language).split(" ");
  // FTS5 stems those of no language.
  const vocabulary = new Vocabulary(language === NO_LANGUAGE ? terms.map(stem) : terms);
  return analyzeText(query, language).flatMap((token) =>
    relatedWords(token, language, () => vocabulary, isKnown).map((one) => one.replaceAll('"', "")),
  );
}

describe("an unknown word", () => {
  it.each([
    [NO_LANGUAGE, "Reimbursement of travel", "riembursement"],
    ["de", "Die Versicherung zahlt", "Verischerung"],
    ["fr", "Le remboursement des frais", "rembousement"],
    ["es", "La factura de proveedores", "provvedores"],
    ["ru", "Договор действует", "догвоор"],
    ["el", "Η βιβλιοθήκη ανοίγει", "βιβλοιθήκη"],
    ["ar", "يقدم المطعم الحساء", "المطععم"],
    ["tr", "Kütüphane açılıyor", "kütüphnae"],
    ["uk", "Бібліотека працює", "біблотека"],
    ["vi", "Ông Nguyễnvăn ký", "nguyễnvăm"],
    ["ka", "ხელშეკრულება", "ხელშეკრულბა"],
  ])("is found in the word that it mistypes (%s: %s, %s)", (language, text, query) => {
    const terms = indexTerms(text, language).split(" ");
    const found = related(language, text, query).map((one) => one.replace(" *", ""));
    expect(terms.some((term) => found.some((one) => term.startsWith(one) || stem(one) === stem(term)))).toBe(
      true,
    );
  });

  it("isn't looked for in shorter words, numbers or pairs of characters", () => {
    expect(related(NO_LANGUAGE, "form", "farm")).toEqual([]);
    expect(related(NO_LANGUAGE, "AB123456", "AB123457")).toEqual([]);
    expect(related("zh", "图书馆每天上午", "图书官")).toEqual([]);
  });

  it("is looked for in words that begin as it does", () => {
    expect(related("fr", "les élèves en stage", "stagiaires")).toEqual(["stag *"]);
    expect(related("uk", "договорами", "договорах")).toContain("договора *");
    expect(related("de", "Die Versicherung", "Versicherugn")).toEqual(["versicher *"]);
    expect(related("fr", "stationner", "stagiaires")).toEqual([]);
  });

  it("is written so that FTS5's stemmer makes the index's term of it", () => {
    const [found = ""] = related(NO_LANGUAGE, "Reimbursement of travel", "riembursement");
    expect(stem(found)).toBe("reimburs");
  });
});

describe("a known word", () => {
  it("has nothing in its place where compounds are written apart", () => {
    expect(related("en", "form forms former", "former", true)).toEqual([]);
    expect(related(NO_LANGUAGE, "invoices involve", "invoice", true)).toEqual([]);
  });

  it("isn't corrected", () => {
    expect(related("de", "Mieter und Meter", "Mieter", true)).toEqual([]);
  });

  it.each([
    ["de", "Reisekostenabrechnung", "Abrechnung"],
    ["de", "Reisekostenabrechnung", "Kosten"],
    ["de", "Weihnachtsgeld", "Geld"],
    ["nl", "Arbeidsovereenkomst", "overeenkomst"],
    ["sv", "Bostadsrättsförening", "förening"],
    ["da", "Sygeforsikringsbevis", "forsikring"],
    ["no", "Reiseforsikring", "forsikring"],
    ["fi", "Matkalaskut", "lasku"],
  ])("is found within a compound (%s: %s, %s)", (language, text, query) => {
    expect(related(language, text, query, true)).toEqual([indexTerms(text, language)]);
  });

  it.each([
    ["de", "Unrecht und Gerechtigkeit", "Recht"],
    ["de", "Vermieter", "Miete"],
    ["de", "Geldbeutel", "Geld"],
  ])("isn't found in other words that have its letters (%s: %s, %s)", (language, text, query) => {
    expect(related(language, text, query, true)).toEqual([]);
  });

  it("is found in at most twelve compounds, the shortest", () => {
    const words = Array.from(
      { length: 20 },
      (_, at) => `${"baustelle".slice(0, 4)}${"x".repeat(20 - at)}verkehr`,
    );
    const found = related("de", words.join(" "), "Verkehr", true);
    expect(found).toHaveLength(12);
    expect(found[0]).toBe("bausxverkehr");
  });
});

describe("a text's term", () => {
  it.each([
    ["de", "Rechnung", "rechnugn", true],
    ["de", "Kosten", "reisekost", true],
    ["de", "200145", "200146", false],
    ["de", "4711", "abcd4711", false],
  ])("in place of a query's word (%s: %s, %s): %s", (language, word, term, expected) => {
    const [token] = analyzeText(word, language);
    expect(token && isRelated(token, term, language)).toBe(expected);
  });
});

describe("a compound", () => {
  it.each([
    ["de", "Das Konto für die Arbeit in dieser Zeit", "Arbeitszeitkonto", ["arbeit", "zeit", "konto"]],
    ["de", "Die Abrechnung von Reisekosten", "Reisekostenabrechnung", ["reisekost", "abrechn"]],
    ["nl", "een overeenkomst voor arbeid", "arbeidsovereenkomst", ["arbeid", "overeenkomst"]],
    ["sv", "föreningen äger vår bostad", "bostadsförening", ["bost", "forening"]],
    ["fi", "lasku matkasta", "matkalasku", ["matk", "lasku"]],
  ])("is found in its parts (%s: %s, %s)", (language, text, query, parts) => {
    expect(related(language, text, query, true)).toEqual(parts);
  });

  it("that is unknown is found in its head alone", () => {
    expect(related("de", "Die Erstattung dauert", "Reisekostenerstattung")).toEqual(["erstatt"]);
    expect(related("de", "Die Erstattung dauert", "Reisekostenerstattung", true)).toEqual([]);
  });

  it("of which every beginning is a word is tried in short", () => {
    const letters = Array.from({ length: 40 }, (_, at) => "a".repeat(at + 1)).slice(3);
    const vocabulary = new Vocabulary(letters);
    const [token] = analyzeText(`${"a".repeat(38)}bc`, "nl");
    let lookups = 0;
    const has = vocabulary.has.bind(vocabulary);
    vocabulary.has = (word) => {
      lookups += 1;
      return has(word);
    };
    if (token) relatedWords(token, "nl", () => vocabulary, true);
    expect(lookups).toBeGreaterThan(100);
    expect(lookups).toBeLessThan(5000);
  });

  it("isn't cut where a part is no word, or one without content", () => {
    expect(related("de", "die Zeit ung", "Zeitung", true)).toEqual([]);
    expect(related("de", "unter uns nehmen wir", "Unternehmen", true)).toEqual([]);
  });
});
