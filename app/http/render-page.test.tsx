import { describe, expect, it } from "vitest";
import { renderMarkup } from "./render-page.server";

describe("a page", () => {
  it.each(["é", "語", "😀"])("has no zero bytes where a chunk ends before %s", async (letter) => {
    const fields = Array.from({ length: 200 }, (_, index) => letter.repeat(index % 97));
    const markup = await renderMarkup(() =>
      fields.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never move.
        <textarea key={index} defaultValue={text} />
      )),
    );
    expect(markup).not.toContain("\0");
    expect([...markup.matchAll(/<textarea>([^<]*)/g)].map(([, text]) => text)).toEqual(fields);
  });
});
