import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { explainStorageFault } from "~/core/storage-faults.server";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import type { StartedGeneration } from "../answer/active-generation.server";
import { PersonaForm } from "../chat.schema";
import { sendMessage } from "../chat.service.server";
import { type Attachment, AttachmentIds } from "./attachments.schema";
import { readAttachment, receiveAttachments, takeTranscripts } from "./attachments.service.server";

const Form = PersonaForm.omit({ conversationId: true, files: true }).extend({ attachments: AttachmentIds });
type Form = z.infer<typeof Form>;

export interface UnsentMessage extends Omit<Form, "attachments"> {
  attachments: Attachment[];
  error: string | undefined;
}

type Fields = Record<string, string[]>;

const first = (fields: Fields, name: string) => fields[name]?.[0];

function findExisting(actor: Actor, ids: readonly string[]): Attachment[] {
  return ids.flatMap((id) => {
    try {
      return [readAttachment(actor, id)];
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return [];
      throw error;
    }
  });
}

type OnField = (name: string, value: string) => void;

async function skipFiles(parts: AsyncIterable<MultipartPart>, onField: OnField): Promise<number> {
  let count = 0;
  for await (const part of parts) {
    if (part.kind === "field") onField(part.name, part.value);
    else if (part.fileName !== "") count += 1;
  }
  return count;
}

/**
 * Sends a form with files, without JavaScript. If a file is refused, the form is returned with the rest; and so it is
 * to transcribe its recordings, with what is said in them as its text.
 * @param refusal of the request, such as a rate limit: the form is returned without its files
 */
export async function sendWithFiles(
  actor: Actor,
  { conversationId, folderId }: { conversationId: string | undefined; folderId?: string | undefined },
  parts: AsyncIterable<MultipartPart>,
  { signal, refusal }: { signal?: AbortSignal; refusal?: AppError | undefined } = {},
): Promise<StartedGeneration | UnsentMessage> {
  const fields: Fields = {};
  const onField: OnField = (name, value) => {
    fields[name] = [...(fields[name] ?? []), value];
  };
  const skipped = refusal ? await skipFiles(parts, onField) : 0;
  const files = refusal
    ? []
    : await receiveAttachments(actor, parts, { ...(signal ? { signal } : {}), onField });
  const content = (first(fields, "content") ?? "").replaceAll(/\r\n?/g, "\n");
  const existing = findExisting(actor, (fields.attachments ?? []).slice(0, 20));
  const attachments = [...existing, ...files.flatMap(({ attachment }) => attachment ?? [])];
  const single = Object.fromEntries(Object.keys(fields).map((name) => [name, first(fields, name)]));
  const ids = attachments.map(({ id }) => id);
  const parsed = Form.safeParse({ ...single, content, tools: fields.tools, attachments: ids });
  const { attachments: _, content: text, ...options } = parsed.data ?? Form.parse({ attachments: [] });
  const unsent = (error: string | undefined): UnsentMessage => ({ ...options, content, attachments, error });
  if (refusal) return unsent(`${refusal.message}${skipped > 0 ? " Attach your files again." : ""}`);
  if (!parsed.success) return unsent(parsed.error.issues[0]?.message ?? "Not sent");
  const refused = files.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`]));
  if (refused.length > 0) return unsent(refused.join(" "));
  if (first(fields, "intent") === "transcribe") {
    const { text: said, others } = await takeTranscripts(actor, attachments);
    const written = [content.trimEnd(), said].filter(Boolean).join("\n\n");
    const error = said === "" ? "Attach a recording to transcribe" : undefined;
    return { ...unsent(error), content: written, attachments: others };
  }
  if (content.trim() === "" && attachments.length === 0) return unsent("Enter a message");
  try {
    return await sendMessage(actor, {
      ...options,
      messages: [{ role: "user", content: text }],
      model: options.model || undefined,
      persona: options.persona || null,
      attachments: ids,
      ...(conversationId ? { conversationId } : {}),
      folderId,
    });
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    if (!(error instanceof AppError) || error.code === "forbidden" || error.code === "not_found") throw error;
    return unsent(error.message);
  }
}
