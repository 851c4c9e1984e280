import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { MessagePart } from "../chat.schema";
import { parseMarkdown } from "../markdown/parse.shared";
import { earlierPassages, sourcesOf } from "../sources.shared";
import { CitationsProvider, SourcesView } from "./citations";
import { Markdown } from "./markdown";

const url = (place: number) => `/rag/doc_1?from=${place}&to=${place + 9}#passage`;
const passage = (number: number, place: number) => ({
  number,
  title: "Handbook",
  text: "…",
  headings: ["People", "Holidays"],
  page: place,
  url: url(place),
  score: 1,
  scores: { keyword: 1, similarity: null, rerank: null },
});
const search = (...passages: unknown[]): MessagePart => ({
  type: "tool",
  toolCallId: `call_${JSON.stringify(passages).length}`,
  toolName: "qdrant.search",
  state: "done",
  input: {},
  output: { passages },
});
const said = (text: string): MessagePart => ({ type: "text", id: "0", text });

function render(parts: MessagePart[], before: MessagePart[][] = [], complete = false) {
  const sources = sourcesOf(parts, earlierPassages([...before, parts].map((one) => ({ parts: one }))).at(-1));
  return renderToStaticMarkup(
    <CitationsProvider value={sources}>
      {parts.map((part, index) =>
        part.type === "text" ? (
          <Markdown key={index.toString()} text={part.text} tree={parseMarkdown(part.text)} />
        ) : null,
      )}
      <SourcesView sources={sources.list} complete={complete} />
    </CitationsProvider>,
  );
}
const hrefs = (html: string) =>
  [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href?.replaceAll("&amp;", "&"));

describe("the sources of an answer", () => {
  it("are the distinct passages of all its searches, numbered consecutively", () => {
    const { list } = sourcesOf([
      search(passage(1, 10), passage(2, 20)),
      search(passage(1, 30), passage(2, 20)),
      said(""),
    ]);
    expect(list.map(({ number, passage: { url } }) => [number, url])).toEqual([
      [1, url(10)],
      [2, url(20)],
      [3, url(30)],
    ]);
  });

  it("are pages of the web search too, which open in a tab of their own", () => {
    const page = (url: string) => ({ number: 1, title: "Tides", url, text: "High at noon." });
    const searched = (...results: unknown[]): MessagePart => ({
      type: "tool",
      toolCallId: "1",
      toolName: "web-search.search",
      state: "done",
      input: { query: "tides" },
      output: { results },
    });
    const html = render([
      searched(page("https://example.org/a?b=1"), { ...page("javascript:alert(1)"), number: 2 }),
      said("At noon [1](https://example.org/a?b=1)."),
    ]);
    expect(hrefs(html)).toEqual(["https://example.org/a?b=1", "https://example.org/a?b=1"]);
    expect(html.match(/target="_blank" rel="noreferrer"/g)).toHaveLength(2);
    expect(html).toContain("example.org");
    const foreign = { ...searched(page("https://example.org")), toolName: "mcp.search" } as MessagePart;
    expect(sourcesOf([foreign]).list).toEqual([]);
  });

  it("exclude other tools, failed calls and external addresses", () => {
    expect(
      sourcesOf([
        {
          type: "tool",
          toolCallId: "1",
          toolName: "web.fetch",
          state: "done",
          input: {},
          output: { text: "x" },
        },
        { ...search(passage(1, 10)), state: "failed" } as MessagePart,
        search(
          { ...passage(1, 1), url: "https://evil.example/rag/doc" },
          { ...passage(2, 2), url: "//evil" },
          "nonsense",
        ),
      ]).list,
    ).toEqual([]);
  });

  it("include passages of earlier searches that it cites by number", () => {
    const before = [[search(passage(1, 10), passage(2, 20))], [search(passage(2, 30)), said("So it is.")]];
    const html = render([said("As I said [1], and [2]; not [3].")], before);
    // Of two searches the latest one's number is meant.
    expect(hrefs(html)).toEqual([url(10), url(30), url(10), url(30)]);
    expect(html).toContain("not [3].");
  });

  it("prefer its own passage to an earlier one with the same number", () => {
    const own = [search(passage(1, 40)), said(`By [1] and [2], see [2](${url(10)}).`)];
    const html = render(own, [[search(passage(1, 10), passage(2, 20))]]);
    expect(hrefs(html).slice(0, 3)).toEqual([url(40), url(20), url(10)]);
    expect(sourcesOf(own).byNumber.get(1)?.passage.url).toBe(url(40));
  });

  it("keep the identity of earlier passages while an answer is written", () => {
    const first = { parts: [search(passage(1, 10))] };
    const [, one] = earlierPassages([first, { parts: [said("a")] }]);
    const [, two] = earlierPassages([first, { parts: [said("ab")] }]);
    expect(two).toBe(one);
    expect(one?.get(1)?.url).toBe(url(10));
  });

  it("are shown below the answer with their location, uncited ones collapsed", () => {
    const html = render([search(passage(1, 10), passage(2, 20)), said(`So it is [2](${url(20)}).`)]);
    expect(html).toContain("People › Holidays, page 20");
    expect(html).toMatch(/<details>.*1 more passage was found.*page 10.*<\/details>/s);
    expect(hrefs(html)).toEqual([url(20), url(20), url(10)]);
  });

  it("aren't shown without citations: found passages are collapsed or omitted", () => {
    const parts = [search(passage(1, 10), passage(2, 20)), said("No idea.")];
    const html = render(parts);
    expect(html).not.toContain("Sources");
    expect(html).toMatch(/<details><summary[^>]*>Found, not cited: 2 passages<.*page 10.*<\/details>/s);
    expect(render(parts, [], true)).not.toContain("page 10");
  });
});

describe("a citation in an answer", () => {
  it("links to the document, labeled by its source", () => {
    const html = render([search(passage(1, 10)), said(`Yes [1](${url(10)}).`)]);
    expect(html).toContain('aria-label="Source 1: Handbook, People › Holidays, page 10"');
    expect(html).not.toContain("target=");
  });

  it("is found in bare brackets, lists and bold if only one passage has the number", () => {
    const html = render([
      search(passage(1, 10), passage(2, 20)),
      said("Yes [1][2].\n\n- **so [2]**\n\n[7] `[1]`"),
    ]);
    expect(hrefs(html).slice(0, 3)).toEqual([url(10), url(20), url(20)]);
    expect(html).toContain("[7]");
    expect(html).toMatch(/<code[^>]*>\[1\]<\/code>/);
    const twice = render([search(passage(1, 10)), search(passage(1, 30)), said("Which [1]?")]);
    expect(twice).toContain("Which [1]?");
  });

  it("keeps a link's text, and shows the host of an external link", () => {
    const html = render([
      search(passage(1, 10)),
      said(`See [the handbook](${url(10)}) and [1](https://evil.example/x).`),
    ]);
    expect(html).toContain(">the handbook</a>");
    expect(html).toContain("(evil.example)");
  });

  it("isn't created without a search", () => {
    expect(render([said("As [1] says.")])).toContain("As [1] says.");
  });
});
