import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

const chapter = (body: string) =>
  `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><a id="top"/>${body}</body></html>`;
const PACKAGE =
  "<package><metadata><dc:title>Tides &amp; Storms</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language></metadata>" +
  '<manifest><item id="b" href="text/b%20two.xhtml"/><item id="a" href="text/a.xhtml"/><item id="n" href="nav.xhtml" properties="nav"/><item id="c" href="text/unused.xhtml"/></manifest>' +
  '<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/><itemref idref="b"/><itemref idref="missing"/></spine></package>';
const read = (parts: Record<string, string> = {}) =>
  readDocument({
    bytes: makeZip({
      mimetype: "application/epub+zip",
      "META-INF/container.xml":
        '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
      "OPS/book.opf": PACKAGE,
      "OPS/nav.xhtml": chapter("<nav><ol><li>First</li></ol></nav>"),
      "OPS/text/a.xhtml": chapter(
        "<h2>Ebb</h2><table><tr><th>Month</th><th>Tide</th></tr><tr><td>May</td><td>2 m</td></tr></table>",
      ),
      "OPS/text/b two.xhtml": chapter(
        '<h1>Flood</h1><p>L’eau&nbsp;monte<img src="x"/>.</p><svg><image href="x"/></svg><ul><li>wind</li></ul>',
      ),
      "OPS/text/unused.xhtml": chapter("<p>Unused</p>"),
      ...parts,
    }),
    name: "book.epub",
    contentType: "",
  });

describe("an e-book", () => {
  it("is read in the order of its chapters, with title and author", async () => {
    const { title, text, facts, blocks } = await read();
    expect(text).toBe("Flood\n\nL’eau monte.\n\n- wind\n\nEbb\n\nMonth | Tide\nMay | 2 m");
    expect(title).toBe("Tides & Storms");
    expect(facts).toEqual({
      format: "EPUB",
      author: "Ada",
      language: "en",
      notes: ["Left out: 2 images, 1 table of contents."],
    });
    expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "list", "heading", "table"]);
  });

  const encryption = (algorithm: string) =>
    `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`;

  it("that is protected is refused, but not one with obscured fonts", async () => {
    const protectedBook = {
      "META-INF/encryption.xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc"),
    };
    await expect(read(protectedBook)).rejects.toThrow("protected against copying (DRM)");
    const fonts = { "META-INF/encryption.xml": encryption("http://www.idpf.org/2008/embedding") };
    expect((await read(fonts)).title).toBe("Tides & Storms");
  });

  it("has a chapter once that is listed under many names", async () => {
    const listed = PACKAGE.replace("<manifest>", '<manifest><item id="d" href="text/a.xhtml"/>').replace(
      "</spine>",
      '<itemref idref="d"/></spine>',
    );
    expect((await read({ "OPS/book.opf": listed })).text).toBe((await read()).text);
  });

  it("without its package is damaged", async () => {
    await expect(read({ "META-INF/container.xml": "<container/>" })).rejects.toThrow(
      "This EPUB file is damaged.",
    );
  });

  it("doesn't expand entities", async () => {
    const bomb = `<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(99)}">]><html><body><p>x &b;</p></body></html>`;
    expect((await read({ "OPS/text/a.xhtml": bomb })).text).not.toContain("ha");
    await expect(
      read({ "OPS/book.opf": `<!DOCTYPE p [<!ENTITY a "ha">]><package>&a;</package>` }),
    ).rejects.toThrow("damaged");
  });

  it("whose chapters nest without end is refused", async () => {
    await expect(read({ "OPS/text/a.xhtml": chapter("<div>".repeat(3000)) })).rejects.toThrow(
      "nests elements more than 2,000",
    );
  });
});
