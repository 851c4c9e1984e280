import { z } from "zod";
import { DocumentStatus } from "~/work/documents/documents.schema";

const MAX_INSTRUCTIONS = 20_000;

const FolderName = z.string().trim().min(1, "Enter a name").max(80, "Use at most 80 characters");

export const FolderInput = z.object({ name: FolderName });
export type FolderInput = z.infer<typeof FolderInput>;

/** An editor changes instructions, persona and files; a viewer only uses them. */
const MemberRole = z.enum(["viewer", "editor"], { error: "Choose what they may do" });

export const ConversationFolder = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(["owner", "editor", "viewer"]).describe("What you may do in it"),
});
export type ConversationFolder = z.infer<typeof ConversationFolder>;
export type FolderRole = ConversationFolder["role"];

const Instructions = z
  .string()
  .trim()
  .max(MAX_INSTRUCTIONS, `Use at most ${MAX_INSTRUCTIONS.toLocaleString("en-US")} characters`);

const Version = z
  .string()
  .max(64)
  .optional()
  .describe(
    "The `version` of the project that was edited: saving fails if it changed since. Without it the last save wins",
  );

const PersonaId = z.preprocess((value) => value || null, z.string().max(100).nullable());

export const ProjectPatch = z
  .object({
    name: FolderName.describe("Changed by its owner alone"),
    instructions: Instructions.describe("Added to the system prompt of its conversations"),
    personaId: PersonaId.describe("Of its new conversations; null for none"),
    version: Version,
  })
  .partial();
export type ProjectPatch = z.infer<typeof ProjectPatch>;

/** The form's, whose empty fields aren't posted. */
export const ProjectForm = z.object({
  instructions: Instructions.default(""),
  personaId: PersonaId,
  version: Version,
});

export const RoleInput = z.object({ role: MemberRole });
export const MemberInput = RoleInput.extend({
  userId: z.string({ error: "Choose a person" }).min(1, "Choose a person").max(100),
});
export type MemberInput = z.infer<typeof MemberInput>;

export const DeletionInput = z.object({
  keepFiles: z
    .stringbool()
    .default(false)
    .describe("Keeps its files as documents that its owner alone can see, in place of deleting them"),
});

const Person = z.object({ id: z.string(), name: z.string() });

export const Project = ConversationFolder.extend({
  owner: Person,
  instructions: z.string(),
  personaId: z.string().nullable(),
  version: z.string().describe("Of instructions and persona"),
  members: z.array(Person.extend({ role: MemberRole })),
  files: z
    .array(
      z.object({ id: z.string(), name: z.string(), status: DocumentStatus, error: z.string().nullable() }),
    )
    .describe("The last added first, at most 300"),
});
export type Project = z.infer<typeof Project>;
