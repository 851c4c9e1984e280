import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { processorMs } from "../../../tests/support/processor-time";
import { extract } from "./extract";

vi.mock("linkedom", async (importOriginal) => {
  const linkedom = await importOriginal<typeof import("linkedom")>();
  return { ...linkedom, parseHTML: vi.fn(linkedom.parseHTML) };
});

const bytes = (text: string) => new TextEncoder().encode(text);
const html = (text: string, contentType = "text/html; charset=utf-8") =>
  extract({ bytes: bytes(text), contentType });

const PARAGRAPH =
  "The lighthouse keeper wrote down the weather every hour, for forty years, without missing a night. ";
const ARTICLE = `<!doctype html><html lang="en-GB"><head><title>Weather Books | Site</title></head><body>
<nav><a href="/">Home</a><a href="/about">About</a></nav>
<article><h1>Weather Books</h1><p class="byline">By Ada Keeper</p><p>${PARAGRAPH.repeat(4)}</p>
<p>${PARAGRAPH.repeat(4)}</p><ul><li>wind</li><li>rain</li></ul></article>
<footer>Imprint</footer><script>alert("never")</script></body></html>`;

/** As large as pages may be. */
const MANY_PARAGRAPHS = "<p>word</p>".repeat(100_000);
const processorTime = async (work: () => Promise<unknown>) => {
  const before = process.threadCpuUsage();
  await work();
  return processorMs(before);
};
/** What an honest page takes on this machine, beside the same work: a limit in seconds would ask how fast it is. */
let honest: number;
beforeAll(async () => {
  honest = await processorTime(() => html(MANY_PARAGRAPHS));
});

describe("the readable text of a page", () => {
  it("is the article without what surrounds it", async () => {
    const { title, text, language, byline } = await html(ARTICLE);
    expect(title).toContain("Weather Books");
    expect(language).toBe("en-GB");
    expect(byline).toBe("By Ada Keeper");
    expect(text).toContain("The lighthouse keeper");
    expect(text).toMatch(/\n- wind\n- rain/);
    expect(text).not.toMatch(/Imprint|alert|About/);
  });

  it("is all visible text where there is no article", async () => {
    const page = await html(
      "<title>T</title><h1>Prices</h1><table><tr><td>Tea</td><td>3</td></tr></table><style>p{}</style>",
    );
    expect(page).toEqual({ title: "T", text: "Prices\n\nTea | 3" });
  });

  it.each([
    "",
    "   ",
    "<html>",
    "<html></html>",
    "<!doctype html>",
    "<",
    "<>",
    "</p>",
    "<html><body></body></html>",
  ])("survives %j", async (page) => {
    expect(await html(page)).toMatchObject({ title: "" });
  });

  it.each([
    ["nesting", `${"<div>".repeat(1900)}deep${"</div>".repeat(1900)}`, "deep"],
    ["unclosed paragraphs", `${"<p>word".repeat(5000)} deep`, "deep"],
    ["unclosed rows", `<table>${"<tr><td>a<td>b".repeat(5000)} deep`, "deep"],
    [
      "many attributes",
      `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(" ")}>lost</p>kept`,
      "kept",
    ],
    [
      "many tags of many attributes",
      `<p ${Array.from({ length: 3000 }, (_, n) => `a${n}=1`).join(" ")}>x</p>`.repeat(200),
      "x",
    ],
    [
      "tags in scripts and comments",
      `<script>${"<div>".repeat(9000)}</script><!--${"<div>".repeat(9000)}-->x`,
      "x",
    ],
    ["many open brackets", `${"<a".repeat(500_000)}`, ""],
    ["hidden parts in hidden parts", `${"<div hidden>".repeat(1900)}${"<i></i>".repeat(150_000)}</div>x`, ""],
    [
      "many pictures beside one caption",
      `<figure>${'<img alt="red">'.repeat(100_000)}<figcaption>${"z ".repeat(99_999)}`,
      "red",
    ],
    ["readings in readings", `${"<ruby>".repeat(1900)}${"<i>x</i>".repeat(150_000)}`, "x"],
    [
      "cells over many rows and columns",
      `<table><tr>${'<td rowspan="65000" colspan="100">x</td>'.repeat(50_000)}${"<tr><td>y".repeat(20_000)}`,
      "x |",
    ],
    ["tables in tables", `${"<table><tr><td>".repeat(500)}deep`, "deep"],
  ])("survives %s in the time of a few honest pages", async (_, page, text) => {
    const used = await processorTime(async () => expect((await html(page)).text).toContain(text));
    expect(used).toBeLessThan(4 * honest);
  });

  it.each([
    ["nested elements", "<div>".repeat(300_000), /more than 2,000 levels deep/],
    ["unclosed elements", "<b><i><p>".repeat(100_000), /more than 2,000 levels deep/],
    ["nesting behind a script that closes itself", `<script/>${"<div>".repeat(300_000)}`, /nests elements/],
    ["nesting behind an empty comment", `<!-->${"<div>".repeat(300_000)}`, /nests elements/],
    ["many elements", "<i>x</i>".repeat(250_000), /more than 200,000 elements/],
    ["many attributes", "<p a=1 b='2' c d=\"4\"e>x</p>".repeat(90_000), /more than 300,000 attributes/],
  ])("refuses %s before it builds anything", async (_, page, message) => {
    vi.mocked(parseHTML).mockClear();
    const used = await processorTime(() => expect(html(page)).rejects.toThrow(message));
    expect(used).toBeLessThan(4 * honest);
    expect(parseHTML).not.toHaveBeenCalled();
  });
});

describe("the decoding of a text", () => {
  const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

  it.each([
    ["the header", latin1("<p>caf\xe9</p>"), "text/html; charset=iso-8859-1"],
    ["the document's meta", latin1('<meta charset="windows-1252"><p>caf\xe9</p>'), "text/html"],
    [
      "the document's http-equiv",
      latin1('<meta http-equiv="Content-Type" content="text/html; charset=latin1">caf\xe9'),
      "",
    ],
    [
      "the document's meta, not one in a comment or an attribute",
      latin1(
        `<!-- <meta charset=koi8-r> --><meta name="x" content="charset=koi8-r"><meta title=">" charset="latin1">caf\xe9`,
      ),
      "",
    ],
    ["nothing, in UTF-8", bytes("<html><p>café</p>"), "text/html"],
    ["nothing, in windows-1252", latin1("<html><p>caf\xe9</p>"), "text/html"],
    ["an unknown name", bytes("<p>café</p>"), "text/html; charset=klingon"],
    ["a byte order mark against the header", bytes("\ufeff<p>café</p>"), "text/html; charset=latin1"],
    ["UTF-16's mark", new Uint8Array(Buffer.from("\ufeff<html><p>café</p>", "utf16le")), "text/html"],
    ["a false UTF-16 meta", bytes('<meta charset="utf-16"><p>café</p>'), "text/html"],
  ])("follows %s", async (_, content, contentType) => {
    const { text } = await extract({ bytes: content, contentType: contentType || "text/html" });
    expect(text).toBe("café");
  });

  it("passes over a charset that the bytes contradict", async () => {
    const { text } = await extract({ bytes: latin1("caf\xe9"), contentType: "text/plain; charset=utf-8" });
    expect(text).toBe("café");
  });
});

describe("other types", () => {
  it.each([
    "text/plain",
    "application/json",
    "application/feed+json",
    "application/xml; charset=utf-8",
    "text/csv",
    "",
  ])("%s passes as it is", async (contentType) => {
    expect(await html('{"a":"<b>"}', contentType)).toEqual({ title: "", text: '{"a":"<b>"}' });
  });

  it("finds HTML that was sent as plain text", async () => {
    expect(await html("<!DOCTYPE html><title>T</title><p>x</p>", "text/plain")).toEqual({
      title: "T",
      text: "x",
    });
  });

  it.each(["application/pdf", "image/png", "application/octet-stream"])(
    "%s is refused by name",
    async (contentType) => {
      await expect(html("%PDF", contentType)).rejects.toThrow(contentType);
    },
  );

  it("refuses binary data without a type", async () => {
    await expect(extract({ bytes: new Uint8Array([1, 0, 2]), contentType: "" })).rejects.toThrow(
      "binary data",
    );
  });
});
