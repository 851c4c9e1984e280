import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { toDisplayText } from "~/core/well-formed";
import { linkTarget } from "../markdown/link-target.shared";
import { parseMarkdown } from "../markdown/parse.shared";
import { Markdown } from "./markdown";

const render = (text: string) =>
  renderToStaticMarkup(<Markdown text={text} tree={parseMarkdown(toDisplayText(text))} />);

describe("a model's Markdown", () => {
  it("becomes tables, lists and code", () => {
    const html = render(
      "# Title\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n- one\n- two\n\n```js\nconst x = 1 < 2;\n```",
    );
    expect(html).toContain("<h2");
    expect(html).toMatch(/<th scope="col"[^>]*text-right[^>]*>b<\/th>/);
    expect(html).toContain("<strong");
    expect(html.match(/<li/g)).toHaveLength(2);
    expect(html).toContain("const x = 1 &lt; 2;");
  });

  it.each([
    ["mermaid", "<span>mermaid</span>"],
    ["plantuml", "plantuml · diagram shown as code"],
  ])("shows a diagram in %s as its code without a browser", (language, label) => {
    const html = render(`\`\`\`${language}\ngraph TD\nA-->B\n\`\`\``);
    expect(html).toContain(label);
    expect(html).toContain(`aria-label="Code in ${language}"`);
    expect(html).toContain("A--&gt;B");
  });

  it("keeps the order of code in a right-to-left list", () => {
    const html = render("- שלום `a(1).`\n\n  ```\n  b(2);\n  ```");
    expect(html).toContain('<ul dir="rtl"');
    expect(html).toContain('<code dir="ltr">a(1).</code>');
    expect(html).toContain('<pre dir="ltr"><code>b(2);');
  });

  it("shows a task's box in place of its bullet", () => {
    const html = render("- [x] done\n- [ ] open\n- plain");
    expect(html.match(/<li class="task-item">[☑☐] /g)).toHaveLength(2);
    expect(html).toContain("<li>plain");
  });

  it.each([
    ["HTML", '<img src="https://evil.example/x.png" onerror="alert(1)">'],
    ["inline HTML", 'see <a href="https://evil.example" ping="https://evil.example">this</a>'],
    ["a remote image", "![secret](https://evil.example/leak?q=1)"],
    ["a style", "<style>@import 'https://evil.example/x.css'</style>"],
    ["a prefetch", '<link rel="prefetch" href="https://evil.example">'],
    ["an image by reference", "![x][y]\n\n[y]: https://evil.example/leak.png"],
  ])("never makes a request by itself: %s", (_, text) => {
    const html = render(text);
    expect(html).not.toMatch(/<(img|style|link|script|iframe|svg|object|video|audio|source)\b/i);
    expect(html).not.toMatch(/<[^>]*\s(src|srcset|ping|style|onerror)=/i);
  });

  it.each(["bob@example.org", "www.example.org", "https://example.org", "https://example.org/a/?b=1"])(
    "shows the address of a bare link once: %s",
    (address) => {
      const shown = render(address).replaceAll(/<[^>]*>/g, "");
      expect(shown.trim()).toBe(address);
    },
  );

  it.each([
    ["[https://bank.example@evil.example/](https://bank.example@evil.example/)", "(evil.example)"],
    ["https://exаmple.org/", "(xn--exmple-4nf.org)"],
    ["[bob@example.org](mailto:eve@example.org)", "(eve@example.org)"],
  ])("shows the host of a link whose text only seems to be its address: %s", (text, host) => {
    expect(render(text)).toContain(host);
  });

  it("shows the host of an external link even if its text claims another", () => {
    const html = render("[https://bank.example](https://evil.example/login)");
    expect(html).toContain('href="https://evil.example/login"');
    expect(html).toContain("(evil.example)");
    expect(html).toContain('rel="noopener noreferrer nofollow"');
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "/api/logout",
    "//evil.example",
    "/\\\\evil.example",
    "vbscript:x",
    "file:///etc/passwd",
    "</\t/evil.example/a>",
  ])("renders no link for %s", (href) => {
    expect(render(`[click](${href})`)).not.toContain("<a ");
  });

  it("links to the console's own screens", () => {
    expect(render("[Settings](/settings?tab=providers)")).toContain('href="/settings?tab=providers"');
  });

  it.each([400, 1500, 20_000])("renders %i levels of nesting", (levels) => {
    expect(render(`${">".repeat(levels)} deep`)).toContain("deep");
    expect(render(`${"[".repeat(levels)}`)).toContain("[[[");
    expect(render(`${"- ".repeat(levels)} deep`)).toContain("deep");
    expect(render(`${"**a ".repeat(levels)}`)).toContain("a");
  });

  it("shows a text that is too long as plain text, and says so", () => {
    const html = render(`# ${"x".repeat(250_000)}`);
    expect(html).toContain("# xxx");
    expect(html).toContain("Shown as plain text");
  });

  it("is plain text without a tree from the server", () => {
    expect(renderToStaticMarkup(<Markdown text="**a**" />)).toContain("**a**");
  });

  it("isolates direction marks within a link's text", () => {
    const html = render("[\u202egro.knab](https://evil.example/) and more");
    expect(html).toMatch(/<a [^>]*>\u202egro\.knab<\/a><bdi dir="ltr"[^>]*> \(evil\.example\)<\/bdi>/);
  });
});

describe("linkTarget", () => {
  it.each([
    "/\t/evil.example/a",
    "/\n/evil.example",
    "/\r/evil.example",
    "\t//evil.example",
    " //evil.example",
    "//evil.example",
    "///evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
    "/%2F/evil.example",
    "/%5Cevil.example",
    "/%09/%00",
    "/\u200b/evil.example",
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://a.example/x",
    "file:///etc/passwd",
    "/api",
    "/api/logout",
    "/%61pi/logout",
    "/x/../api/logout",
    "/API/logout",
    "/logout",
    "evil.example",
    "#here",
    "?q=1",
    "",
  ])("returns undefined for %j", (href) => {
    expect(linkTarget(href)).toBeUndefined();
  });

  it.each([
    ["/settings?tab=providers#x", "/settings?tab=providers#x"],
    ["/chat/../rag", "/rag"],
    ["/a b", undefined],
    ["/rag/doc:1@2", "/rag/doc:1@2"],
    ["/apiary", "/apiary"],
  ])("returns a screen of the console for %j", (href, expected) => {
    expect(linkTarget(href)).toEqual(expected && { kind: "own", href: expected });
  });

  it.each([
    ["https://a.example/x", "https://a.example/x", "a.example"],
    ["https:evil.example", "https://evil.example/", "evil.example"],
    ["http:/evil.example", "http://evil.example/", "evil.example"],
    ["https:\\\\evil.example\\a", "https://evil.example/a", "evil.example"],
    ["https://bank.example@evil.example/", "https://evil.example/", "evil.example"],
    ["https://bank.example%2F@evil.example:8443/", "https://evil.example:8443/", "evil.example:8443"],
    ["https://b\u0430nk.example/", "https://xn--bnk-6cd.example/", "xn--bnk-6cd.example"],
    ["https://evil\u3002example/", "https://evil.example/", "evil.example"],
    ["mailto:a@b.example", "mailto:a@b.example", "a@b.example"],
  ])("returns an external link with its host or address for %j", (href, expected, destination) => {
    expect(linkTarget(href)).toEqual({ kind: "outside", href: expected, destination });
  });
});
