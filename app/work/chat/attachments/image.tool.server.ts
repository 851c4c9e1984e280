import { z } from "zod";
import { drawImages, type ImageFile } from "~/ai/models/images.service.server";
import { hasRoomForImage, openNamedFile } from "~/ai/tools/files/result-files.service.server";
import { MAX_RESULT_FILES, type ResultFile } from "~/ai/tools/files/result-files.shared";
import { OUTPUT_LIMIT } from "~/ai/tools/output-bounds.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { currentPurpose } from "~/core/purpose.server";
import { readRaster } from "~/core/raster";
import { clip } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import { findConversation } from "../chat.repo.server";
import { listOfConversation } from "./attachments.repo.server";
import { readBlob } from "./blobs.server";

const MAX_MADE = 4;
const MAX_INPUTS = 8;
const NAME_LENGTH = 80;
/** What providers edit. */
const EDITED_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/webp"];

const Input = z.object({
  prompt: z
    .string()
    .trim()
    .min(1, "Describe the image")
    .max(4000, "Use at most 4000 characters")
    .describe(
      "What the image shows, or how the images are to be changed; complete, since nothing else is sent",
    ),
  images: z
    .array(z.string().trim().min(1).max(200))
    .max(MAX_INPUTS)
    .default([])
    .describe("Names of images of this conversation to edit or combine; leave out for a new image"),
  size: z
    .string()
    .regex(/^(?:auto|\d{2,5}x\d{2,5})$/, "Use a width and a height, such as 1024x1024")
    .optional()
    .describe("Width and height, such as 1024x1024; leave it out unless the user asks for one"),
  count: z.number().int().min(1).max(MAX_MADE).default(1).describe(`How many images; ${MAX_MADE} at most`),
});

async function readAttached(conversationId: string, name: string): Promise<Buffer | undefined> {
  const row = listOfConversation(db(), conversationId).findLast((one) => [one.name, one.id].includes(name));
  return row && readBlob(row.sha);
}

/** The newest image of the conversation with a name, sent by the person or made before. */
async function readInput(actor: Actor, conversationId: string | undefined, name: string): Promise<ImageFile> {
  const isOwn = conversationId !== undefined && findConversation(db(), actor, conversationId) !== undefined;
  const bytes = isOwn
    ? (openNamedFile(actor, conversationId, name)?.bytes ?? (await readAttached(conversationId, name)))
    : undefined;
  if (!bytes) throw new AppError("not_found", `There is no image "${name}" in this conversation.`);
  const raster = readRaster(bytes);
  if (raster && raster !== "damaged" && EDITED_TYPES.includes(raster.mediaType))
    return { bytes, mediaType: raster.mediaType };
  throw new AppError("invalid", `"${name}" can't be edited: it isn't a PNG, JPEG or WebP image.`);
}

/** It says what the image shows, since it is the image's alternative text as well. */
const nameOf = (prompt: string, at: number, { mediaType }: ImageFile): string =>
  `${clip(prompt.replaceAll(/\s+/g, " "), NAME_LENGTH)}${at > 0 ? ` ${at + 1}` : ""}.${mediaType.slice("image/".length)}`;

export const generateImage: Tool<typeof Input> = {
  name: "image.generate",
  title: "Generate or edit images",
  description:
    "Makes an image from a description, or changes images of this conversation, with the organization's model for images. The user sees the result below the call: don't repeat its name or address. Each image costs money, so make only those the user asks for.",
  effect: "outside",
  hasOutsideContent: () => false,
  input: Input,
  timeoutMs: 5 * 60_000,
  outputLimit: OUTPUT_LIMIT,
  async run({ prompt, images: names, size, count }, { actor, signal, conversationId, messageId, keepFile }) {
    authorise(actor, "chat.use");
    if (!hasRoomForImage({ conversationId, runId: currentPurpose().runId }))
      throw new AppError(
        "unprocessable",
        "An image is made only where it can be kept: in a stored chat or a run of a workflow that has room for it, with at most 200 files of 100 MB together.",
      );
    const inputs: ImageFile[] = [];
    for (const name of names) inputs.push(await readInput(actor, conversationId, name));
    const request = { prompt, count, inputs, further: size ? { size } : {}, signal };
    const { model, images } = await drawImages(actor, request, { conversationId, messageId });
    const files: ResultFile[] = [];
    for (const [at, image] of images.slice(0, MAX_RESULT_FILES).entries()) {
      const file = await keepFile({ name: nameOf(prompt, at, image), bytes: image.bytes });
      if (file) files.push(file);
    }
    if (files.length === 0) throw new AppError("too_large", "The image is too large to keep.");
    return { model, files };
  },
};
