import { countTokens } from "~/core/count-tokens";
import { AppError } from "~/core/errors";
import type { Chunking } from "../chunking/chunk";

// What an embedding model reads of a text. Most cut off the rest and say nothing.

/**
 * In tokens of the model, by the end of its id; the first match counts. From the models' cards, their
 * `sentence_bert_config.json`, and the pages of OpenAI (platform.openai.com/docs/guides/embeddings) and Cohere
 * (docs.cohere.com/docs/cohere-embed), read in November 2026. A chunk has at most 1,000 tokens, so models that
 * read more are named only where their name resembles that of one which reads less.
 */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  [/all-minilm-l12|paraphrase-(?:multilingual|minilm|mpnet|albert)|distiluse/, 128],
  [/all-minilm|labse|sentence-t5/, 256],
  [/all-mpnet-base/, 384],
  [/bge-m3|bge-multilingual-gemma2|bge-en-icl|gte-.*(?:v1\.5|qwen|modernbert|multilingual)|e5-mistral/, 8192],
  [/arctic-embed2|arctic-embed-[ml]-(?:long|v2)|embed-v4|granite-embedding-.*r2/, 8192],
  [/bge-|(?:^|[-/])e5-|gte-(?:tiny|small|base|large)|gtr-t5|multi-qa-/, 512],
  [
    /mxbai-embed|arctic-embed|uae-large|instructor-|granite-embedding|embed-(?:english|multilingual)-.*v[23]/,
    512,
  ],
  [/text-embedding-(?:3-(?:small|large)|ada-002)/, 8191],
  [/text-embedding-00\d|text-multilingual-embedding-00\d|gemini-embedding|embeddinggemma/, 2048],
];

/** Tokens that a model is known to read, by its id. */
export function knownLimit(model: string): number | null {
  const id = model.toLowerCase();
  return LIMITS.find(([pattern]) => pattern.test(id))?.[1] ?? null;
}

/**
 * Share of a limit that a chunk may fill. Sizes are estimated for a larger vocabulary: these models cut code,
 * tables and names into up to half as many tokens more, and title and headings are read with the chunk.
 */
const SHARE = 0.65;

/** The sizes with which a model reads whole chunks. @param maxTokens what it reads, null if without a known limit */
export function fitChunking({ target, overlap }: Chunking, maxTokens: number | null): Chunking {
  const fitting = maxTokens === null ? target : Math.min(target, Math.floor(maxTokens * SHARE));
  return { target: fitting, overlap: Math.floor((overlap * fitting) / target) };
}

/** Lengths that are tried, in tokens: the longest chunk with half as many again, and then less. */
const LENGTHS = [1500, 1000, 700, 500, 350, 250, 120];
/** Vectors are equal beyond this cosine but for rounding. */
const EQUAL = 0.99999;
/** Two short texts of other things are farther apart than this. */
const APART = 0.999;
const FILLER =
  "the house stands near a river and people walk over the old bridge when they go to work in the morning while water runs below and birds fly to the other side where trees grow in a long green field".split(
    " ",
  );
const ENDINGS = [
  "My sister bakes bread with seeds, salt and butter, and gives a warm piece to every child who visits her kitchen.",
  "The ship lost its engine in the storm, so the captain called for help by radio and waited all night at sea.",
] as const;

/** Common words without an end, as many tokens as asked for. */
function fill(tokens: number): string {
  const words: string[] = [];
  let count = 0;
  for (let at = 0; count < tokens; at++) {
    const word = FILLER[(at * 7) % FILLER.length] ?? "";
    words.push(word);
    count += countTokens(` ${word}`);
  }
  return words.join(" ");
}

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

/**
 * Finds out how much of a text a model reads: two that differ in their last sentence only have equal vectors if it
 * doesn't read as far, and are refused by some servers.
 * @param embed vectors of length 1
 * @returns tokens; null if it reads the longest, or has vectors that tell nothing apart
 * @throws what `embed` throws, but a refusal
 */
export async function measureLimit(
  embed: (texts: string[]) => Promise<Float32Array[]>,
): Promise<number | null> {
  const similarity = async (texts: string[]) => {
    const [one, other] = await embed(texts);
    return one && other ? cosine(one, other) : 1;
  };
  if ((await similarity([...ENDINGS])) > APART) return null;
  for (const [at, length] of LENGTHS.entries()) {
    const text = fill(length - countTokens(ENDINGS[0]));
    try {
      if ((await similarity(ENDINGS.map((ending) => `${text}. ${ending}`))) < EQUAL)
        return at === 0 ? null : length;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "provider_rejected") throw error;
    }
  }
  return LENGTHS.at(-1) ?? null;
}
