import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPage } from "./page";

const fixture = (name: string) => readPage(readFileSync(`tests/fixtures/documents/${name}`, "utf8"));

const PROSE =
  "Here are the answers to the questions that customers ask us most often, about delivery, payment and returns. ";
const page = (parts: string) =>
  readPage(`<!doctype html><html><head><title>T</title></head><body>${parts}</body></html>`);
/** A page with an article, in which Readability finds little but its prose. */
const article = (parts: string, around = "") =>
  page(`<main><h1>Help</h1><p>${PROSE.repeat(3)}</p><p>${PROSE.repeat(3)}</p>${parts}</main>${around}`);

const BANNER = "We use cookies to make this site better for you, and you can accept or reject all of them.";

describe("the content of a page", () => {
  it("includes a hidden tab", () => {
    const { text, facts } = fixture("page-hidden-tab.html");
    expect(text).toContain("Flow rate | 12.5 l/min");
    expect(text).toContain("Protection class | IP 67");
    expect(text).toContain("-20 °C to +60 °C");
    expect(text).not.toContain("PX-4420");
    expect(facts.notes).toEqual(["Left out: 2 parts around the content, such as menus."]);
  });

  it("includes an aside of prose", () => {
    expect(fixture("page-aside.html").text).toContain("24 December the tariff of zone 1");
  });

  it.each([
    ["a closed details", "<details><summary>More</summary><p>DOC-5512</p></details>"],
    [
      "a hidden answer",
      '<button aria-controls="x1">Which?</button><div id="x1" hidden><p>DOC-5512</p></div>',
    ],
    ["what a link shows", '<a href="#x1">Which?</a><div id="x1" style="display:none">DOC-5512</div>'],
    ["what Bootstrap shows", '<a data-bs-target="#x1">Which?</a><div id="x1" hidden>DOC-5512</div>'],
    ["an aria-hidden panel", '<div role="tabpanel" aria-hidden="true"><p>DOC-5512</p></div>'],
    ["a tab", '<div role="tabpanel" hidden><p>DOC-5512</p></div>'],
    ["a part found by searching", '<div hidden="until-found"><p>DOC-5512</p></div>'],
    [
      "a pane by its name",
      '<section class="accordionBody faq-answer" style="color:red; display: none;">DOC-5512</section>',
    ],
    [
      "further rows",
      "<table><tr><td>a</td><td>b</td></tr><tr hidden><td>DOC-5512</td><td>c</td></tr></table>",
    ],
    ["further items", '<ul><li>a</li><li style="display:none">DOC-5512</li></ul>'],
    ["a hidden table", "<div hidden><table><tr><td>a</td></tr><tr><td>DOC-5512</td></tr></table></div>"],
    ["hidden prose", `<div hidden><p>DOC-5512 ${"and other words that matter here ".repeat(6)}</p></div>`],
    ["a note at the side", "<aside><h3>Note</h3><p>See DOC-5512 for all the details of it.</p></aside>"],
    ["a footer of the article", "<footer><p>Footnote: see DOC-5512.</p></footer>"],
    ["a short line", "<div>DOC-5512</div>"],
    ["a dish of a menu", '<div class="menu"><p>Soup of the day, DOC-5512, with bread and butter</p></div>'],
    ["a picture's text", '<p><img src="v.png" alt="DOC-5512: the red valve"></p>'],
    ["a definition", "<dl><dt>Document</dt><dd>DOC-5512</dd></dl>"],
    ["a caption", '<figure><img src="v.png" alt=""><figcaption>DOC-5512</figcaption></figure>'],
  ])("includes %s", (_, parts) => {
    const { text } = article(parts);
    expect(text.match(/DOC-5512/g)).toHaveLength(1);
    expect(text).toContain("Help\n\nHere are");
  });

  it.each([
    ["a banner", `<div id="cookieBanner" role="region"><p>${BANNER} DOC-5512</p></div>`],
    [
      "a hidden banner",
      `<div class="consent panel" style="display:none"><p>${BANNER} ${BANNER} DOC-5512</p></div>`,
    ],
    ["a closed dialog", `<dialog><p>${BANNER} ${BANNER} DOC-5512</p></dialog>`],
    [
      "a hidden menu",
      '<ul id="sub" hidden><li><a href="/a">DOC-5512</a></li><li><a href="/b">Valves</a></li></ul>',
    ],
    [
      "a navigation",
      '<nav><ul><li><a href="/a">DOC-5512</a></li><li><a href="/b">Valves and more</a></li></ul></nav>',
    ],
    ["related links", '<div class="related"><a href="/a">DOC-5512 and what else there is to read</a></div>'],
    ["a footer", "<footer><p>© 2031 Acme, Kiel, DOC-5512, all rights reserved.</p></footer>"],
    ["a template", "<template><p>DOC-5512</p></template>"],
    [
      "a message to come",
      '<p hidden>DOC-5512</p><div class="toast">DOC-5512 was saved for you, thank you.</div>',
    ],
    ["a sign for the eye", '<h2>Contact<a href="#x" aria-hidden="true">DOC-5512</a></h2>'],
    ["a second copy", `<div class="mobile" hidden><p>${PROSE.repeat(3)}</p></div><p hidden>DOC-5512</p>`],
  ])("leaves out %s", (_, around) => {
    const { text } = article("", around);
    expect(text).not.toContain("DOC-5512");
    expect(text.split(PROSE.trim())).toHaveLength(7);
  });

  it("says what it leaves out", () => {
    const around = `<nav><a href="/a">Products</a></nav><div class="modal" hidden>${BANNER}</div><img src="x.png">`;
    expect(article("", around).facts.notes).toEqual([
      "Left out: 1 image, 1 part around the content, such as a menu, 1 hidden part.",
    ]);
  });

  it.each([
    ["decoration", '<img src="a.png" alt="">'],
    ["a sign", '<img src="a.png" width="16" height="16">'],
    [
      "a picture whose caption says the same",
      '<figure><img alt="Valve"><figcaption>Valve</figcaption></figure>',
    ],
  ])("doesn't miss the text of %s", (_, image) => {
    const { text, facts } = page(`<p>Words.</p>${image}`);
    expect(facts.notes).toBeUndefined();
    expect(text.match(/Valve/g)?.length ?? 1).toBe(1);
  });

  it("writes readings behind the word", () => {
    const ruby =
      "<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>へ<ruby>行<rp>(</rp><rt>い</rt><rp>)</rp></ruby>く";
    expect(page(`<p>${ruby}</p>`).text).toBe("東京(とうきょう)へ行(い)く");
  });

  it("names a merged cell in each of its rows, and keeps the columns", () => {
    const table = `<table><tr><th>Region</th><th colspan="2">Price</th><th>Note</th></tr>
<tr><td rowspan="2">Nord</td><td>1</td><td>2</td><td>a</td></tr><tr><td>3</td><td>4</td><td>b</td></tr></table>`;
    expect(page(table).text).toBe("Region | Price |  | Note\nNord | 1 | 2 | a\nNord | 3 | 4 | b");
  });

  it.each([
    ["long cells", `<td rowspan="65000">${"x".repeat(1900)}</td>`.repeat(100)],
    ["many columns", '<td rowspan="65000" colspan="100">x</td>'.repeat(2000)],
  ])("bounds what merged cells repeat: %s", (_, cells) => {
    const { text } = page(`<table><tr>${cells}</tr>${"<tr><td>y</td></tr>".repeat(1000)}</table>`);
    expect(text.length).toBeLessThan(5_300_000);
    expect(text).toContain("y");
  });
});
