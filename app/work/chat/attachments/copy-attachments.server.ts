import type { Db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { insertAttachment, listOfConversation } from "./attachments.repo.server";
import { AttachmentPart } from "./attachments.schema";

/** Gives a copied conversation its own attachments of the same files. @returns the parts with new ids */
export function copyAttachments(
  tx: Db,
  from: string,
  conversationId: string,
): (parts: unknown[]) => unknown[] {
  const rows = new Map(listOfConversation(tx, from).map((row) => [row.id, row]));
  const copies = new Map<string, string>();
  const copyOf = (id: string): string => {
    const row = rows.get(id);
    const present = copies.get(id);
    if (!row || present) return present ?? id;
    const copy = newId("att");
    insertAttachment(tx, { ...row, id: copy, conversationId });
    copies.set(id, copy);
    return copy;
  };
  return (parts) =>
    parts.map((part) => {
      const { data } = AttachmentPart.safeParse(part);
      return data ? { ...data, id: copyOf(data.id) } : part;
    });
}
