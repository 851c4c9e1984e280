import { describe, expect, it } from "vitest";
import { countTokens } from "~/core/count-tokens";
import type { Block, ReadDocument } from "~/work/extraction/document.schema";
import { DocumentBuilder } from "~/work/extraction/document-builder";
import { processorMs } from "../../../../tests/support/processor-time";
import type { Chunking } from "./chunk";
import { type CutChunk, cutChunks } from "./chunker";

const DEFAULT: Chunking = { target: 400, overlap: 60 };
const SENTENCE = "The keeper wrote down the weather every hour, without missing a night. ";

function build(work: (builder: DocumentBuilder) => void): ReadDocument {
  const builder = new DocumentBuilder();
  work(builder);
  return builder.finish("", { format: "Test" });
}
const cut = (work: (builder: DocumentBuilder) => void, chunking = DEFAULT) =>
  cutChunks({ ...build(work), title: "T" }, chunking);

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const CJK = "灯台守は毎時間の天気を書き留めた。一晩も休まなかった。";
const KINDS: Block["kind"][] = ["paragraph", "paragraph", "paragraph", "list", "table", "code", "quote"];

function anyDocument(seed: number): ReadDocument {
  const random = seeded(seed);
  const words = (max: number) =>
    Array.from({ length: 1 + random(max) }, () => "abcdefgh".slice(random(7)).repeat(1 + random(3))).join(
      " ",
    );
  return build((builder) => {
    for (let left = random(60); left >= 0; left--) {
      if (random(4) === 0) builder.heading(1 + random(4), words(6));
      const kind = KINDS[random(KINDS.length)] ?? "paragraph";
      if (kind === "paragraph" || kind === "quote") {
        const sentences = Array.from({ length: 1 + random(30) }, () => (random(9) ? `${words(20)}.` : CJK));
        builder.add(kind, random(20) ? sentences.join(" ") : "x".repeat(random(20_000)));
      } else if (kind === "table") {
        const rows = Array.from({ length: 1 + random(80) }, () => [words(3), words(5), `${random(999)}`]);
        builder.table(rows, { header: random(2) === 0, page: 1 + random(9) });
      } else if (kind === "heading") continue;
      else {
        const lines = Array.from(
          { length: 1 + random(60) },
          () => `${kind === "list" ? "- " : "  "}${words(9)}`,
        );
        builder.add(kind, lines.join("\n"));
      }
    }
  });
}

describe("chunks of any document", () => {
  const settings: Chunking[] = [
    DEFAULT,
    { target: 100, overlap: 0 },
    { target: 100, overlap: 200 },
    { target: 1000, overlap: 200 },
  ];

  it.each(Array.from({ length: 60 }, (_, seed) => seed))("cover it in order, within bounds (%i)", (seed) => {
    const document = anyDocument(seed + 1);
    const chunking = settings[seed % settings.length] ?? DEFAULT;
    const chunks = cutChunks(document, chunking);
    expect(chunks).toEqual(cutChunks(document, chunking));
    let reached = 0;
    for (const [at, chunk] of chunks.entries()) {
      const slice = document.text.slice(chunk.start, chunk.end);
      expect(chunk.position).toBe(at);
      expect(chunk.text.endsWith(slice)).toBe(true);
      expect(slice).toBe(slice.trim() === "" ? "" : slice);
      expect(chunk.tokens).toBe(countTokens(chunk.text));
      expect(chunk.tokens).toBeLessThanOrEqual(chunking.target * 1.5);
      // Only white space is omitted, and only the overlap repeats.
      expect(document.text.slice(reached, Math.max(reached, chunk.start)).trim()).toBe("");
      const repeated = document.text.slice(chunk.start, Math.max(chunk.start, reached));
      expect(countTokens(repeated)).toBeLessThanOrEqual(Math.min(chunking.overlap, chunking.target / 2) + 1);
      expect(chunk.end).toBeGreaterThan(reached);
      reached = chunk.end;
    }
    expect(document.text.slice(reached).trim()).toBe("");
  });
});

describe("the chunker", () => {
  const headings = (chunks: readonly CutChunk[]) => chunks.map((chunk) => chunk.headings);

  it("splits at sections and gives each the headings above it", () => {
    const chunks = cut((builder) => {
      builder.heading(1, "Harbour");
      builder.heading(2, "Lamp");
      builder.add("paragraph", SENTENCE.repeat(20));
      builder.heading(2, "Bell");
      builder.add("paragraph", SENTENCE.repeat(20));
    });
    expect(headings(chunks)).toEqual([
      ["Harbour", "Lamp"],
      ["Harbour", "Bell"],
    ]);
    expect(chunks[0]?.text).toMatch(/^Harbour\n\nLamp\n\nThe keeper/);
    expect(chunks[1]?.text).toMatch(/^Bell\n\nThe keeper/);
  });

  it("joins small sections of one parent under the parent's heading", () => {
    const chunks = cut((builder) => {
      builder.heading(1, "Harbour");
      for (const name of ["Lamp", "Bell", "Horn"]) {
        builder.heading(2, name);
        builder.add("paragraph", SENTENCE);
      }
    });
    expect(headings(chunks)).toEqual([["Harbour"]]);
  });

  it("repeats the last sentences within a section, never across sections", () => {
    const sentences = Array.from(
      { length: 120 },
      (_, at) => `Entry ${at} tells of calm weather, wind and rain.`,
    );
    const chunks = cut((builder) => {
      builder.add("paragraph", sentences.join(" "));
      builder.heading(1, "Next");
      builder.add("paragraph", SENTENCE.repeat(20));
    });
    const [first, second] = chunks;
    const repeated = second?.text.slice(0, (first?.end ?? 0) - (second?.start ?? 0)) ?? "";
    expect(repeated).toMatch(/^Entry \d+ tells/);
    expect(first?.text.endsWith(repeated)).toBe(true);
    expect(chunks.at(-1)?.text.startsWith("Next")).toBe(true);
  });

  it("splits into chunks of about equal length", () => {
    const chunks = cut((builder) => builder.add("paragraph", SENTENCE.repeat(30)), {
      target: 400,
      overlap: 0,
    });
    const sizes = chunks.map((chunk) => chunk.tokens);
    expect(Math.min(...sizes)).toBeGreaterThan(Math.max(...sizes) * 0.8);
  });

  it("keeps a block of code whole where it fits", () => {
    const code = Array.from({ length: 30 }, (_, at) => `  run(step_${at}, { quietly: true });`).join("\n");
    const chunks = cut((builder) => {
      builder.add("paragraph", SENTENCE.repeat(18));
      builder.add("code", code);
      builder.add("paragraph", SENTENCE.repeat(18));
    });
    expect(chunks.some((chunk) => chunk.text.includes(code.trim()))).toBe(true);
  });

  it("repeats a table's header in each chunk, with positions in the text", () => {
    const rows = Array.from({ length: 200 }, (_, at) => [`Item ${at}`, `${at * 3}`]);
    const document = build((builder) => builder.table([["Item", "Price"], ...rows], { header: true }));
    const chunks = cutChunks(document, DEFAULT);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) {
      expect(chunk.text).toMatch(/^Item \| Price\nItem \d+ \| /);
      expect(document.text.slice(chunk.start, chunk.end).split("\n").at(-1)).toMatch(/^Item \d+ \| \d+$/);
    }
    const [, second] = chunks;
    expect(second?.text).toBe(`Item | Price\n${document.text.slice(second?.start, second?.end)}`);
  });

  it("cuts Japanese at the ends of its sentences", () => {
    const chunks = cut((builder) => builder.add("paragraph", CJK.repeat(60)));
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^灯台|^一晩.*。$/su);
    for (const chunk of chunks) expect(chunk.text.endsWith("。")).toBe(true);
  });

  it("reports the page, and hashes the embedded text", () => {
    const on = (page: number, name: string) => (builder: DocumentBuilder) => {
      builder.heading(1, name, page);
      builder.add("paragraph", SENTENCE.repeat(22), { page });
    };
    const [first, second] = cut((builder) => {
      on(3, "Lamp")(builder);
      on(4, "Bell")(builder);
    });
    expect([first?.page, second?.page]).toEqual([3, 4]);
    expect(first?.hash).toMatch(/^[\w-]{22}$/);
    expect(first?.hash).not.toBe(second?.hash);
    expect(cut(on(9, "Lamp"))[0]?.hash).toBe(first?.hash);
  });

  it("returns no chunks for an empty text", () => {
    expect(cut(() => undefined)).toEqual([]);
  });

  it("chunks a large table quickly", () => {
    const rows = Array.from({ length: 60_000 }, (_, at) => [
      `Item number ${at}`,
      "in the harbour's store",
      `${at * 3}`,
    ]);
    const document = build((builder) =>
      builder.table([["Item", "Place", "Price"], ...rows], { header: true }),
    );
    const start = process.threadCpuUsage();
    expect(cutChunks(document, DEFAULT).length).toBeGreaterThan(1000);
    expect(processorMs(start)).toBeLessThan(8000);
  });
});
