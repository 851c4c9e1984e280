import { describe, expect, it } from "vitest";
import { addressTitle, cleanFileName, downloadName, textTitle } from "./names.service.server";

describe("names of documents", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\notes.txt", "notes.txt"],
    ["a\u0000b\nc.txt", "a b c.txt"],
    ["invoice\u202Efdp.exe", "invoice fdp.exe"],
    ["  two   spaces .md ", "two spaces .md"],
    ["Übersicht 日本.docx", "Übersicht 日本.docx"],
    ["Donau\u00addampf.txt", "Donaudampf.txt"],
    ["👩\u200d👩\u200d👧.png", "👩\u200d👩\u200d👧.png"],
    ["🧑🏽\u200d🚀 🏳️\u200d🌈.md", "🧑🏽\u200d🚀 🏳️\u200d🌈.md"],
    ["می\u200cخواهم.docx", "می\u200cخواهم.docx"],
    ["क्\u200dष.txt", "क्\u200dष.txt"],
    ["re\u200cport\u200d.pdf", "report.pdf"],
    ["\u200d\u200c", "Unnamed file"],
    ["..", "Unnamed file"],
    ["", "Unnamed file"],
    ["folder/", "Unnamed file"],
  ])("cleans %j to %j", (given, name) => {
    expect(cleanFileName(given)).toBe(name);
  });

  it.each([
    ["attachment; filename*=UTF-8'en'%e2%82%ac%20list.pdf; filename=list.pdf", "€ list.pdf"],
    ['attachment; filename="a%20b \\"c\\".pdf"', 'a b "c".pdf'],
    ['attachment; other="x.pdf"; filename=100%.pdf', "100%.pdf"],
    ["inline", "price list.pdf"],
    [null, "price list.pdf"],
  ])("reads the header %j", (header, name) => {
    expect(downloadName(header, "https://example.com/files/price%20list.pdf?v=2")).toBe(name);
  });

  it("keeps the extension of a truncated name", () => {
    const name = cleanFileName(`${"𝒳".repeat(300)}.xlsx`);
    expect(name.endsWith("𝒳.xlsx")).toBe(true);
    expect([...name]).toHaveLength(200);
  });

  it("names a text by date and a URL by host and path", () => {
    expect(textTitle(Date.UTC(2026, 10, 21, 12), "UTC")).toBe("Text Document 11/21/2026");
    expect(textTitle(Date.UTC(2026, 10, 21, 12), "Pacific/Auckland")).toBe("Text Document 11/22/2026");
    expect(addressTitle("https://docs.example.com:8080/a/b?c=d")).toBe("docs.example.com/a/b");
  });
});
