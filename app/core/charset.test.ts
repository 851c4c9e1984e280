import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { decodeKnown, decodeText, looksBinary } from "./charset";

const bytesOf = (text: string, encoding: string) => new Uint8Array(iconv.encode(text, encoding));
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const swap = (bytes: Uint8Array) => new Uint8Array(Buffer.from(bytes).swap16());

describe("a text that says its encoding", () => {
  it.each([
    ["windows-1252", "50 € – „Übliche“ l’œuvre … ™", "windows-1252"],
    ["iso-8859-1", "50 € – „Übliche“ l’œuvre … ™", "windows-1252"],
    ["koi8-u", "Договір, її ґрунт", "koi8-u"],
    ["tis-620", "สัญญานี้มีผล", "tis620"],
    ["iso-8859-16", "Părțile își", "iso-8859-16"],
    ["macintosh", "läuft über", "macintosh"],
    ["cp437", "Übung ┌─┐", "cp437"],
    ["ibm866", "Договор", "cp866"],
    ["utf-32le", "Договор", "utf-32le"],
    ["shift_jis", "①㈱髙", "cp932"],
    ["euc-kr", "똠방각하", "cp949"],
    ["big5", "嗰啲", "big5hkscs"],
    ["gb18030", "合同𠀀", "gb18030"],
  ])("is read by its header: %s", (label, text, encoding) => {
    expect(decodeText(bytesOf(text, encoding), `text/plain; charset=${label}`)).toBe(text);
  });

  it("isn't read by a label that names no charset", () => {
    expect(decodeText(latin1("aGk\xe4"), "text/plain; charset=base64")).toBe("aGkä");
  });

  it.each([
    ["utf-16le", "\ufeffДоговор"],
    ["utf-16be", "\ufeffДоговор"],
    ["utf-32le", "\ufeffДоговор"],
    ["utf-32be", "\ufeffДоговор"],
  ])("is read by its mark: %s", (encoding, text) => {
    const bytes = new Uint8Array(iconv.encode(text, encoding, { addBOM: false }));
    expect(decodeText(bytes, "")).toBe("Договор");
    expect(looksBinary(bytes)).toBe(false);
  });

  it.each([
    ["a script of 5 KB", `<script>${"var a = '<meta charset=big5>';".repeat(200)}</script>`],
    ["a style of 5 KB", `<style>${"p { color: red }".repeat(400)}</style>`],
    ["a comment of 5 KB", `<!--${"<meta charset=big5>".repeat(300)}-->`],
    ["other tags", `<link rel=x href="${"y".repeat(2000)}">`],
  ])("is read by its meta after %s", (_, before) => {
    const page = `<html><head>${before}<meta charset="windows-1251"></head><body>Договор`;
    expect(decodeText(bytesOf(page, "windows-1251"), "text/html")).toContain("Договор");
  });

  it("is read by its XML declaration", () => {
    const xml = '<?xml version="1.0" encoding="windows-1251"?><a>Договор</a>';
    expect(decodeText(bytesOf(xml, "windows-1251"), "")).toContain("Договор");
  });

  it("may be Japanese in seven bits", () => {
    const bytes = latin1("Subject: \x1b$BDjNc2q5D\x1b(B");
    expect(decodeKnown(bytes, "")).toEqual({ text: "Subject: 定例会議", encoding: "iso-2022-jp" });
    expect(decodeText(latin1("\x1b[31mred\x1b[0m"), "")).toBe("\x1b[31mred\x1b[0m");
  });

  it("stays UTF-8 with a few broken characters, whatever the header says", () => {
    const bytes = Buffer.concat([
      Buffer.from("Die Gebühr für Änderungen beträgt über fünfzig. ".repeat(3)),
      latin1("\xe4"),
    ]);
    expect(decodeText(bytes, "text/plain; charset=iso-8859-1")).toMatch(/^Die Gebühr .*�$/);
    expect(decodeKnown(latin1("Die Gebühr für Änderungen"), "")).toBeUndefined();
  });
});

describe("UTF-16 without a mark", () => {
  const texts = [
    "Die Straße nach Köln führt über die Brücke.",
    "Số lượng người sử dụng đã tăng lên rất nhiều.",
    "Договор действует два года.",
    "Η σύμβαση ισχύει για δύο χρόνια.",
    "ההסכם בתוקף לשנתיים מיום החתימה.",
    "العقد ساري المفعول لمدة سنتين.",
    "สัญญานี้มีผลบังคับใช้ เป็นเวลาสองปี",
    "यह अनुबंध दो वर्ष के लिए मान्य है।",
    "契約期間は署名日から二年間とします。\n月額料金は毎月一日に。",
    "合同自签署之日起两年内有效。\n月费应于每月第一天支付。",
    "계약은 서명일로부터 2년간 유효합니다.",
    "a;b;c\r\n1;2;3\r\n",
  ];

  it.each(texts)("is recognized in either byte order: %s", (text) => {
    const little = new Uint8Array(Buffer.from(text, "utf16le"));
    for (const bytes of [little, swap(little)]) {
      expect(looksBinary(bytes)).toBe(false);
      expect(decodeText(bytes, "")).toBe(text);
    }
  });

  const numbers = (count: number, value: (at: number) => number) =>
    new Uint8Array(Uint16Array.from({ length: count }, (_, at) => value(at)).buffer);

  it.each([
    ["names separated by zeros", latin1("alpha\0beta\0gamma\0delta\0epsilon\0zeta\0eta\0")],
    ["samples of a sound", numbers(3000, (at) => Math.round(Math.sin(at / 9) * 9000) & 0xffff)],
    ["gray values", numbers(3000, (at) => 0x4e00 + ((at * 7919) % 0x5000))],
    ["one value", numbers(99, () => 0x0100)],
    ["small numbers", numbers(3000, (at) => at % 200)],
    [
      "a program",
      latin1(`\x7fELF\x02\x01\x01${"\0".repeat(9)}\x03\0>\0\x01\0\0\0\xc0G\x0d\0${"\0".repeat(40)}`),
    ],
    ["noise", Uint8Array.from({ length: 9000 }, (_, at) => (at * at * 31 + at * 7) % 256)],
  ])("isn't found in binary data: %s", (_, bytes) => {
    expect(looksBinary(bytes)).toBe(true);
  });
});

it("reads what says nothing as browsers do", () => {
  expect(decodeText(latin1("50 \x80 \x96 \x84\xdcbliche\x93 l\x92\x9cuvre"), "")).toBe(
    "50 € – „Übliche“ l’œuvre",
  );
});
