import { readFileSync } from "node:fs";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { decodeFile } from "./decode-file";
import { ENCODINGS } from "./encodings.shared";
import { readDocument } from "./index";

const fixture = (name: string) =>
  readDocument({ bytes: readFileSync(`tests/fixtures/documents/${name}`), name, contentType: "" });

describe("a text without a declaration", () => {
  it.each([
    ["text-cp1252.txt", ["50 €", " – zahlbar", "„Übliche“", "L’abonnement", "l’œuvre"], "windows-1252"],
    ["text-cp866.txt", ["Договор действует"], "ibm866"],
    ["text-macroman.txt", ["läuft", "Gebühr", "Übliche", "Änderungen"], "macintosh"],
    ["text-tis620.txt", ["สัญญานี้"], "windows-874"],
    ["text-utf16le-nobom.txt", ["契約期間は署名日から"], "utf-16le"],
    ["page-cp1252.html", ["Kosten – 5 € „Anführung“ – Ende"], "windows-1252"],
  ])("is read: %s", async (name, parts, encoding) => {
    const { text, facts } = await fixture(name);
    for (const part of parts) expect(text).toContain(part);
    expect(facts.encoding).toBe(encoding);
  });

  it("is read in every row of a table", async () => {
    const { text } = await fixture("text-cp1252.csv");
    expect(text.match(/Schlüssel \d+ \| \d+,50 € \| Stück/g)).toHaveLength(20);
  });

  const RUSSIAN = "Договор действует два года. Стороны уведомляют друг друга за три месяца.";
  const UKRAINIAN = "Договір діє два роки з дня підписання. Сторони повідомляють одна одну, її ґрунт.";
  const CZECH = "Smlouva platí dva roky. Poplatek činí padesát korun. Každá změna musí být učiněna písemně.";
  // ISO 8859-2 has no character where this has its ź.
  const POLISH =
    "Umowa obowiązuje przez dwa lata. Opłata wynosi pięćdziesiąt złotych. Każda zmiana wymaga formy pisemnej, źródło będzie podane później.";
  const GREEK = "Η σύμβαση ισχύει για δύο χρόνια από την ημερομηνία υπογραφής.";
  const JAPANESE = "契約期間は署名日から二年間とします。月額料金は毎月一日に支払うものとします。①";

  it.each([
    ["windows-1251", RUSSIAN],
    ["koi8-r", RUSSIAN],
    ["iso-8859-5", RUSSIAN],
    ["maccyrillic", RUSSIAN],
    ["koi8-u", UKRAINIAN],
    ["windows-1250", CZECH],
    ["windows-1250", POLISH],
    ["iso-8859-2", CZECH],
    ["cp852", CZECH],
    ["windows-1253", GREEK],
    ["cp737", GREEK],
    [
      "windows-1254",
      "Sözleşme iki yıl geçerlidir. Ücret elli lira tutarındadır, değişiklik yazılı yapılmalıdır.",
    ],
    ["cp850", "Der Vertrag läuft zwei Jahre. Die Gebühr beträgt fünfzig Euro. Übliche Fristen gelten."],
    ["windows-1255", "ההסכם בתוקף לשנתיים מיום החתימה. התשלום מתבצע בראשון לכל חודש."],
    ["windows-1256", "العقد ساري المفعول لمدة سنتين من تاريخ التوقيع. يتم دفع الرسوم في اليوم الأول."],
    ["windows-1257", "Sutartis galioja dvejus metus. Mokestis yra penkiasdešimt eurų, žinoma."],
    ["cp932", JAPANESE],
    ["eucjp", JAPANESE],
    ["cp949", "계약은 서명일로부터 2년간 유효합니다. 월 요금은 매월 1일에 지불해야 합니다."],
    ["big5", "合約自簽署之日起兩年內有效。月費應於每月第一天支付。"],
    ["gb18030", "合同自签署之日起两年内有效。月费应于每月第一天支付。"],
  ])("is guessed: %s", async (encoding, text) => {
    expect((await decodeFile({ bytes: iconv.encode(text, encoding), contentType: "" })).text).toBe(text);
  });

  it("is guessed from what isn't ASCII, however late it comes", async () => {
    const lines = Buffer.from("plain line\n".repeat(20_000));
    const bytes = Buffer.concat([lines, iconv.encode(`${RUSSIAN}\n`, "koi8-r"), lines]);
    expect((await decodeFile({ bytes, contentType: "" })).text).toContain(RUSSIAN);
  });

  it("is Windows-1252 if the guess says nothing", async () => {
    const { text, facts } = await decodeFile({
      bytes: Buffer.from("temp;20 \xb0C\n", "latin1"),
      contentType: "",
    });
    expect([text, facts]).toEqual(["temp;20 °C\n", { encoding: "windows-1252", encodingBasis: "uncertain" }]);
  });

  it("says a weak guess, and reads it as a person chose", async () => {
    const bytes = iconv.encode("Größe; 20 °C\n", "cp850");
    const guessed = await readDocument({ bytes, name: "a.txt", contentType: "" });
    expect(guessed.facts).toMatchObject({
      encodingBasis: "uncertain",
      notes: [expect.stringContaining("may be wrong")],
    });
    const { text, facts } = await readDocument({ bytes, name: "a.txt", contentType: "", encoding: "cp850" });
    expect([text, facts]).toEqual([
      "Größe; 20 °C",
      { format: "Text", encoding: "cp850", encodingBasis: "chosen" },
    ]);
  });

  it("that says its encoding isn't read as another", async () => {
    const { text, facts } = await decodeFile({
      bytes: Buffer.from("Größe"),
      contentType: "",
      encoding: "cp850",
    });
    expect([text, facts]).toEqual(["Größe", {}]);
  });

  it("says what couldn't be decoded, unless the file has the sign itself", async () => {
    const bytes = Buffer.concat([
      Buffer.from("Änderung über Größe, für älteres Öl. ".repeat(3)),
      Buffer.from([0xe4]),
    ]);
    expect((await decodeFile({ bytes, contentType: "" })).notes).toEqual([
      "1 character couldn't be decoded and shows as �.",
    ]);
    expect((await decodeFile({ bytes: Buffer.from("Ä �"), contentType: "" })).notes).toEqual([]);
  });
});

it.each(ENCODINGS)("$label can be guessed and read", async ({ label, detected }) => {
  const { detect } = await import("jschardet");
  expect(() =>
    detect(Buffer.from([0xe4]), { detectEncodings: ["windows-1252", detected ?? label] }),
  ).not.toThrow();
  const { text } = await decodeFile({
    bytes: Buffer.from([0x41, 0xc4, 0xa7]),
    contentType: "",
    encoding: label,
  });
  expect(text).toMatch(/^A[^\ufffd]/);
});
