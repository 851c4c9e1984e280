import { z } from "zod";

export const Facts = z.object({
  format: z.string().catch("").default(""),
  pages: z.number().optional().catch(undefined),
  imagePages: z
    .array(z.number().int())
    .optional()
    .catch(undefined)
    .describe("Pages that are pictures without text, from 1"),
  recognizedPages: z
    .array(z.number().int())
    .optional()
    .catch(undefined)
    .describe("Pages that are pictures, whose text was recognized, from 1"),
  sheets: z.array(z.string()).optional().catch(undefined).describe("Names of a workbook's sheets"),
  author: z.string().optional().catch(undefined),
  language: z.string().optional().catch(undefined),
  encoding: z.string().optional().catch(undefined).describe("Encoding of a text that isn't UTF-8"),
  encodingBasis: z
    .enum(["declared", "guessed", "uncertain", "chosen"])
    .optional()
    .catch(undefined)
    .describe("How the encoding was found: `uncertain` is a guess that may be wrong"),
  created: z.string().optional().catch(undefined).describe("Creation date from the document itself"),
  files: z.number().optional().catch(undefined).describe("Number of attachments or files within it"),
  isFolder: z.boolean().optional().catch(undefined).describe("Whether it is nothing but an archive of files"),
  notes: z.array(z.string()).optional().catch(undefined).describe("Notes for people"),
});
export type Facts = z.infer<typeof Facts>;

/** Whether text recognition can read more of it, or read it again. */
export const hasPictures = ({ imagePages, recognizedPages }: Facts): boolean =>
  imagePages !== undefined || recognizedPages !== undefined;

/**
 * A block's offsets are characters of the whole text. Blocks don't overlap. A table's row is a line, whose cells are
 * joined by ` | `.
 */
export const Block = z.object({
  kind: z.enum(["heading", "paragraph", "list", "table", "code", "quote"]),
  level: z.number().int().optional().describe("Of a heading, from 1 to 6"),
  start: z.number().int(),
  end: z.number().int(),
  page: z.number().int().optional(),
  header: z.boolean().optional().describe("Whether a table's first row is a header"),
  continued: z.boolean().optional().describe("Continues from the previous page"),
});
export type Block = z.infer<typeof Block>;

/** A document's text, and blocks that cover it except for white space. */
export interface ReadDocument {
  title: string;
  text: string;
  blocks: Block[];
  facts: Facts;
}

/** A stored piece of a document. It ends between two blocks unless one is too large. */
export interface TextPiece {
  /** Offset in the document's text, in characters. */
  start: number;
  text: string;
  /** `Block[]` as JSON, which the main thread stores without parsing. */
  blocks: string;
}
