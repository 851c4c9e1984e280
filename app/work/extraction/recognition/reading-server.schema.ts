import { z } from "zod";
import { recognition } from "~/platform/settings/groups/recognition.schema";

export const RecognitionSettings = recognition.values;
export type RecognitionSettings = z.infer<typeof RecognitionSettings>;

export const RecognitionInput = recognition.patch;
export type RecognitionInput = z.infer<typeof RecognitionInput>;

export const ReadingTest = z.object({
  ok: z.boolean().describe("Whether the server read the words of the test picture"),
  message: z.string().describe("The result as a message"),
  text: z.string().nullable().describe("What it read; null after an error"),
});
export type ReadingTest = z.infer<typeof ReadingTest>;
