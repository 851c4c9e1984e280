import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { orderedYields } from "~/core/background.server";
import { renderPage } from "~/http/render-page.server";
import { inBatches, RenderBatch, RenderYields } from "./render-batch";

/** Renders as the server does. @param turns without, as the browser does */
const render = async (page: React.ReactNode, turns?: () => Promise<void>) =>
  text(
    await renderPage(<RenderYields.Provider value={turns}>{page}</RenderYields.Provider>, {
      timeoutMs: 5000,
    }),
  );

describe("a page in batches", () => {
  it("is complete and in order, each batch rendered after an event-loop yield", async () => {
    const turns: number[] = [];
    let turn = 0;
    const count = () => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const Drawn = ({ n }: { n: number }) => {
      turns.push(turn);
      return <li>{n}</li>;
    };
    const page = (
      <ul>
        {inBatches([1, 2, 3, 4, 5, 6], 2).map((part) => (
          <RenderBatch key={part[0]}>
            {part.map((n) => (
              <Drawn key={n} n={n} />
            ))}
          </RenderBatch>
        ))}
      </ul>
    );
    // Two pages at once share no turn either.
    const pages = await Promise.all([render(page, orderedYields()), render(page, orderedYields())]);
    clearImmediate(counting);
    for (const html of pages) {
      expect(html.replaceAll(/<!--.*?-->/g, "")).toBe(
        "<ul><li>1</li><li>2</li><li>3</li><li>4</li><li>5</li><li>6</li></ul>",
      );
    }
    expect(turns).toHaveLength(12);
    expect(new Set(turns).size).toBe(6);
  });

  it("fails as a whole if a batch can't be rendered", async () => {
    const Broken = () => {
      throw new Error("broken");
    };
    const page = (
      <RenderBatch>
        <Broken />
      </RenderBatch>
    );
    await expect(render(page, orderedYields())).rejects.toThrow("broken");
  });

  it("is rendered at once without a yield", async () => {
    expect((await render(<RenderBatch>here</RenderBatch>)).replaceAll(/<!--.*?-->/g, "")).toBe("here");
  });
});

describe("parts of a list", () => {
  it("contain every item once, the last one the rest", () => {
    expect(inBatches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(inBatches([], 2)).toEqual([]);
  });
});
