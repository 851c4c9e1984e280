import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { DocumentText } from "./document-text";

it("shows done and open tasks differently, also to screen readers", () => {
  const text = "- [x] lamp\n- [ ] log\n- plain";
  const blocks = [{ kind: "list" as const, start: 0, end: text.length }];
  const page = { start: 0, end: text.length, length: text.length, previous: null, next: null, text, blocks };
  const html = renderToStaticMarkup(<DocumentText page={page} pageLabel={String} />);
  expect(html).toMatch(
    /role="img" aria-label="Done">☑.*lamp.*role="img" aria-label="Open">☐.*log.*•.*plain/s,
  );
});
