import { z } from "zod";
import { parseJson } from "~/core/parse";
import { AnswerOptions, ChatForm, HISTORY_LIMIT, InputMessage } from "../chat.schema";

const Transcript = z
  .array(InputMessage)
  .max(HISTORY_LIMIT, `Keep this chat, or start a new one: it has more than ${HISTORY_LIMIT} messages`);

/** A conversation to store as it is. */
export const KeptChat = AnswerOptions.omit({ offeredTools: true }).extend({
  messages: Transcript.min(1, "Enter at least one message").describe("Oldest first; its texts are kept"),
});
export type KeptChat = z.infer<typeof KeptChat>;

/** Bytes of the forms, which carry the transcript as JSON. */
export const TEMPORARY_FORM_BYTES = 4 * 1024 * 1024;

const transcript = z
  .string()
  .default("[]")
  .transform((json, context) => {
    try {
      return parseJson(json);
    } catch {
      context.addIssue("The chat's earlier messages can't be read. Start a new one.");
      return z.NEVER;
    }
  })
  .pipe(Transcript);

/** The temporary chat's form, which posts without JavaScript too. */
export const TemporaryForm = ChatForm.omit({ conversationId: true }).extend({ transcript });

/** For buttons that don't send the message. */
export const TemporaryDraft = TemporaryForm.extend({ content: z.string().max(200_000).default("") });
