import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import type { EdgeContext } from "./context";
import { keepText, keepTexts, withKeptTexts } from "./kept-text.server";

afterAll(() => closeWorkerPools());

const newContext = () => ({}) as EdgeContext;
const textOf = async (page: Readable) => Buffer.concat(await page.toArray()).toString();

it("a long text stands in its field alone, in the page of its request", async () => {
  const context = newContext();
  const text = `\n<b>&amp;"'</b> $& 😀\n${"x".repeat(200_000)}`;
  const { kept } = keepText(context, text) as { kept: string };
  const page = `<p>${kept}</p><textarea name="a">${kept}</textarea><script>{"kept":"${kept}"}</script>`;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // In pieces, as a renderer writes them; a parser leaves out the first line's end.
  const pieces = [page.slice(0, 20), page.slice(20, 60), page.slice(60)].map((piece) => Buffer.from(piece));
  expect(await textOf(await withKeptTexts(Readable.from(pieces), context))).toBe(
    page.replace(`>${kept}</textarea>`, () => `>\n${escaped}</textarea>`),
  );
  const other = Readable.from([Buffer.from(page)]);
  expect(await withKeptTexts(other, newContext())).toBe(other);
});

it("several texts stand each in its own field, and one without a field nowhere", async () => {
  const context = newContext();
  const kept = ["a", "b", "c"].map((letter) => keepText(context, letter.repeat(10_000)) as { kept: string });
  const [a, b] = kept.map((one) => `<textarea>${one.kept}</textarea>`);
  const page = await textOf(await withKeptTexts(Readable.from([Buffer.from(`${b}-${a}`)]), context));
  expect(page).toBe(`<textarea>${"b".repeat(10_000)}</textarea>-<textarea>${"a".repeat(10_000)}</textarea>`);
});

it("only what is long is kept, and of the other fields isn't told", () => {
  const [text, title] = ["t".repeat(10_000), "s".repeat(9999)];
  const told = keepTexts(newContext(), { text, title, name: text, readers: ["a"] }, ["text", "title"]);
  expect(told).toEqual({ text: { kept: expect.any(String) }, title, readers: ["a"] });
});
