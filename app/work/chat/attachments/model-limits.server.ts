import type { Model } from "~/ai/models/models.schema";
import { contextLength, listModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { MessagePart } from "../chat.schema";
import type { AttachmentPart } from "./attachments.schema";
import { isImage } from "./limits.shared";

const canSee = ({ capabilities }: Model) => capabilities.includes("vision");

function refuse(message: string): never {
  throw new AppError("invalid", message, { fields: { attachments: [message] } });
}

const namesOf = (parts: readonly AttachmentPart[]) => parts.map(({ name }) => `"${name}"`).join(", ");

export function seesImages(actor: Actor, modelId: string): boolean {
  const model = listModels(actor).find(({ id }) => id === modelId);
  return model === undefined || canSee(model);
}

/**
 * Refuses attachments that the model can't take.
 * @throws AppError `invalid` with the files, the limit and a suitable model
 */
export function assertModelAccepts(actor: Actor, modelId: string, parts: readonly MessagePart[]): void {
  const files = parts.filter((part) => part.type === "attachment");
  if (files.length === 0) return;
  const models = listModels(actor);
  const model = models.find(({ id }) => id === modelId);
  if (!model) return;
  const images = files.filter(isImage);
  if (images.length > 0 && !canSee(model)) {
    const other = models.find((one) => canSee(one) && one.recommended) ?? models.find(canSee);
    const instead = other ? `Choose ${other.name}` : "Choose a model with vision";
    refuse(`${model.name} can't read images. ${instead}, or send the message without ${namesOf(images)}.`);
  }
  const tokens = files.reduce((sum, part) => sum + part.tokens, 0);
  const length = contextLength(actor.orgId, modelId);
  if (length === undefined || tokens < length) return;
  const [max, has] = [length, tokens].map((count) => count.toLocaleString("en-US"));
  const longest = files.toSorted((a, b) => b.tokens - a.tokens).slice(0, 1);
  refuse(
    `The attached files have about ${has} tokens, and the context of ${model.name} has ${max}. Remove ${namesOf(longest)} or choose a model with a longer context.`,
  );
}
