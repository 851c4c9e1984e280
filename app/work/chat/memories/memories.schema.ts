import { z } from "zod";

/** In characters. */
export const MEMORY_LENGTH = 300;
/** Per person, and per project. */
export const MAX_MEMORIES = 100;

/** The tool by which a model proposes one. */
export const REMEMBER = "memory.remember";

/**
 * Control, format, unassigned and ignorable characters, which models read and nobody sees: a text must say what it shows.
 * Of a run of them one selector and one joiner stay, which emoji and scripts need; longer ones could spell a hidden text.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gu;
const NEEDED = /^[\ufe0e\ufe0f]?[\u200c\u200d]?/;

/** One line of visible characters. */
const plainMemory = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(UNSEEN, (run, at) => (at > 0 && NEEDED.exec(run)?.[0]) || "")
    .replaceAll(/ {2,}/g, " ")
    .trim();

const MemoryText = z
  .string()
  .max(10_000)
  .transform(plainMemory)
  .pipe(
    z.string().min(1, "Enter what to remember").max(MEMORY_LENGTH, `Use at most ${MEMORY_LENGTH} characters`),
  )
  .describe(`One line of at most ${MEMORY_LENGTH} characters`);

export const MemoryInput = z.object({ text: MemoryText });
export type MemoryInput = z.infer<typeof MemoryInput>;

export const MemoryPatch = z
  .object({
    text: MemoryText.optional(),
    kept: z.literal(true).optional().describe("Keeps a proposal, which chats then use"),
  })
  .refine(({ text, kept }) => text !== undefined || kept !== undefined, "Name a text, or `kept`");
export type MemoryPatch = z.infer<typeof MemoryPatch>;

export const Memory = z.object({
  id: z.string(),
  text: z.string(),
  kept: z.boolean().describe("False for a model's proposal, which no chat uses until you keep it"),
  conversationId: z.string().nullable().describe("The conversation of a proposal"),
  folderId: z.string().nullable().describe("The project that it is about; null if it is about you"),
  createdAt: z.iso.datetime(),
});
export type Memory = z.infer<typeof Memory>;

export const MemoryId = z.object({ id: z.string().min(1).max(64) });

export const MemoryQuery = z.object({
  dialog: z.enum(["new", "edit", "forget", "clear"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
});
