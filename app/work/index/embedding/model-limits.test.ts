import { describe, expect, it } from "vitest";
import { countTokens } from "~/core/count-tokens";
import { AppError } from "~/core/errors";
import { fitChunking, knownLimit, measureLimit } from "./model-limits";

describe("what a model reads", () => {
  it.each([
    ["all-minilm:latest", 256],
    ["sentence-transformers/all-MiniLM-L6-v2", 256],
    ["all-minilm-l12-v2", 128],
    ["sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 128],
    ["all-mpnet-base-v2", 384],
    ["BAAI/bge-small-en-v1.5", 512],
    ["bge-m3", 8192],
    ["intfloat/multilingual-e5-large", 512],
    ["e5-mistral-7b-instruct", 8192],
    ["thenlper/gte-base", 512],
    ["Alibaba-NLP/gte-large-en-v1.5", 8192],
    ["embed-multilingual-v3.0", 512],
    ["embed-v4.0", 8192],
    ["snowflake-arctic-embed:m", 512],
    ["snowflake-arctic-embed2", 8192],
    ["text-embedding-3-small", 8191],
    ["house-embedder", null],
    ["some-minilm-of-ours", null],
  ])("is known of %s", (model, limit) => {
    expect(knownLimit(model)).toBe(limit);
  });

  it("bounds chunks, and leaves those alone that fit", () => {
    const chunking = { target: 400, overlap: 60 };
    expect(fitChunking(chunking, 256)).toEqual({ target: 166, overlap: 24 });
    expect(fitChunking(chunking, 512)).toEqual({ target: 332, overlap: 49 });
    expect(fitChunking(chunking, 8191)).toEqual(chunking);
    expect(fitChunking(chunking, null)).toEqual(chunking);
  });
});

describe("trying how much a model reads", () => {
  /** Word counts, of the first words only. */
  const embedder = (words: number) => async (texts: string[]) =>
    texts.map((text) => {
      const vector = new Float32Array(512);
      for (const word of text.split(" ").slice(0, words)) {
        const at = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 512, 7);
        vector[at] = (vector[at] ?? 0) + 1;
      }
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });

  it.each([
    [200, 120],
    [400, 350],
    [5000, null],
  ])("finds that %s words are %s tokens", async (words, tokens) => {
    expect(await measureLimit(embedder(words))).toBe(tokens);
  });

  it("takes a refusal for a limit, and no other failure", async () => {
    const refusing = async (texts: string[]) => {
      if (texts.some((text) => countTokens(text) > 600)) throw new AppError("provider_rejected", "too long");
      return embedder(5000)(texts);
    };
    expect(await measureLimit(refusing)).toBe(500);
    const down = async () => {
      throw new AppError("provider_unavailable", "down");
    };
    await expect(measureLimit(down)).rejects.toThrow("down");
  });

  it("says nothing of a model whose vectors tell two sentences hardly apart", async () => {
    let asked = 0;
    const constant = async (texts: string[]) => {
      asked += 1;
      return texts.map(() => Float32Array.of(1, 0));
    };
    expect([await measureLimit(constant), asked]).toEqual([null, 1]);
  });
});
