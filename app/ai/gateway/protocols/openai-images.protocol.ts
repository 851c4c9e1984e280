import { z } from "zod";
import { type ImageRequest, MAX_IMAGES, makeImages, sizeOfImages } from "~/ai/models/images.service.server";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { readRaster } from "~/core/raster";
import type { MultipartPart, UploadLimits } from "~/platform/endpoint/endpoint.shared";
import { checkBase64, checkImageType, invalidField, parseRequest, readDataUrl } from "./content";
import { bounded, ModelId } from "./content.schema";
import { openAiErrors } from "./errors";
import { type Protocol, toChecked } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

/** In characters. */
const MAX_PROMPT = 32_000;
/** Edited by one call. */
const MAX_INPUTS = 16;
/** In bytes, decoded. */
const MAX_IMAGE_BYTES = 10_000_000;

const Shared = {
  model: ModelId,
  prompt: z
    .string("The prompt must be a string.")
    .min(1, "The prompt is empty.")
    .max(MAX_PROMPT, `The prompt may have at most ${MAX_PROMPT.toLocaleString("en")} characters.`),
  n: z.number().int().min(1).max(MAX_IMAGES).nullish().describe("How many images to make; one by default"),
  response_format: z
    .literal("b64_json", "Images are returned as b64_json only: nothing keeps them for an address.")
    .nullish(),
  stream: z.literal(false, "Images aren't streamed. Leave stream out.").nullish(),
};

const NOT_AN_OBJECT = "The request must be a JSON object.";

/** Unknown members, such as `size`, `quality` and `background`, are kept for the provider. */
export const ImagesRequest = z.looseObject(Shared, NOT_AN_OBJECT);

const InputImage = z
  .object({ image_url: z.string("An image is an object with image_url, a data URL.") })
  .superRefine(({ image_url: url }, context) => {
    const data = readDataUrl(url);
    const message = data
      ? (checkImageType(data.mediaType) ?? checkBase64(data.base64, "image"))
      : "An image must be a base64 data URL: addresses and file IDs aren't read.";
    if (message) context.addIssue({ code: "custom", path: ["image_url"], message });
  });

export const ImageEditsRequest = z.looseObject(
  {
    ...Shared,
    images: bounded(InputImage, MAX_INPUTS, "images")
      .refine((images) => images.length > 0, "There is no image.")
      .describe("Objects with `image_url`, a base64 data URL"),
    mask: InputImage.nullish().describe("Shows by transparency where the first image may change"),
  },
  NOT_AN_OBJECT,
);

/** Fields of the form in place of JSON. */
export const ImageEditsForm = z.object({
  model: Shared.model,
  prompt: Shared.prompt,
  image: z.file().describe("An image, or several as `image[]`: PNG, JPEG or WebP of up to 10 MB"),
  mask: z.file().optional(),
  n: Shared.n,
});

export const IMAGE_UPLOAD: UploadLimits = {
  maxBytes: 12_000_000,
  fileBytes: MAX_IMAGE_BYTES + 1,
  files: MAX_INPUTS + 1,
  fieldBytes: 4 * MAX_PROMPT,
};

const fileOf = ({ image_url: url }: z.infer<typeof InputImage>) => {
  const { mediaType = "", base64 = "" } = readDataUrl(url) ?? {};
  return { mediaType, bytes: Buffer.from(base64, "base64") };
};

function toImageRequest(
  request: z.infer<typeof ImagesRequest>,
  edited: Pick<ImageRequest, "inputs" | "mask">,
  signal: AbortSignal,
): ImageRequest {
  const {
    model: _,
    prompt,
    n,
    response_format: __,
    stream: ___,
    images: ____,
    mask: _____,
    ...further
  } = request;
  return { prompt, count: n ?? 1, ...edited, further, signal };
}

const shared = {
  kind: "image",
  resultMember: "data",
  countTokens: countOpenAiTokens,
  countBody: (body) => ({ images: (body as { data: unknown[] }).data.length }),
  errors: openAiErrors,
  passedHeaders: [],
} as const satisfies Partial<Protocol>;

async function answer(target: Parameters<typeof makeImages>[0], request: ImageRequest): Promise<object> {
  const { images, usage, further } = await makeImages(target, request);
  return {
    ...further,
    created: Math.floor(now() / 1000),
    data: images.map(({ bytes, revisedPrompt }) => ({
      b64_json: Buffer.from(bytes.buffer).toString("base64"),
      ...(revisedPrompt !== undefined && { revised_prompt: revisedPrompt }),
    })),
    ...(usage && { usage }),
  };
}

type ImagesCall = z.infer<typeof ImagesRequest>;
type EditsCall = z.infer<typeof ImageEditsRequest>;

/** Images from nothing but a text. */
export const openAiImages: Protocol = {
  ...shared,
  check: (body) => toChecked(parseRequest(ImagesRequest, body), { stream: false }),
  sizeOf(request) {
    const { prompt, n } = request as ImagesCall;
    return sizeOfImages({ prompt, count: n ?? 1, inputs: [] });
  },
  answer: (target, { request }, signal) =>
    answer(target, toImageRequest(request as ImagesCall, { inputs: [] }, signal)),
};

/** Images from others. */
export const openAiImageEdits: Protocol = {
  ...shared,
  check: (body) => toChecked(parseRequest(ImageEditsRequest, body), { stream: false }),
  sizeOf(request) {
    const { prompt, n, images } = request as EditsCall;
    return sizeOfImages({ prompt, count: n ?? 1, inputs: images });
  },
  answer(target, { request }, signal) {
    const { images, mask } = request as EditsCall;
    const edited = { inputs: images.map(fileOf), ...(mask && { mask: fileOf(mask) }) };
    return answer(target, toImageRequest(request as EditsCall, edited, signal));
  },
};

const NUMBERS = new Set(["n", "output_compression", "partial_images"]);

function readField(name: string, text: string): unknown {
  if (NUMBERS.has(name) && /^\d{1,6}$/.test(text)) return Number(text);
  return name === "stream" ? text === "true" : text;
}

/** @throws AppError `invalid`, `too_large` by the field */
async function readImage(
  part: Extract<MultipartPart, { kind: "file" }>,
  hold: (bytes: number) => void,
): Promise<{ image_url: string }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of part.bytes) {
    hold(piece.length);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > MAX_IMAGE_BYTES)
    throw new AppError("too_large", `An image may have at most ${MAX_IMAGE_BYTES / 1e6} MB.`);
  const raster = readRaster(bytes);
  if (raster === undefined || raster === "damaged")
    throw invalidField([part.name], "This isn't a PNG, JPEG, GIF or WebP image.");
  return { image_url: `data:${raster.mediaType};base64,${bytes.toString("base64")}` };
}

/**
 * The form of an edit as the JSON that says the same, which the call then goes on with.
 * @param hold counts what stays in memory
 */
export async function readImageForm(
  parts: AsyncIterable<MultipartPart>,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  const members: [string, unknown][] = [];
  const images: { image_url: string }[] = [];
  for await (const part of parts) {
    if (part.kind === "field") members.push([part.name, readField(part.name, part.value)]);
    else if (part.name === "mask") members.push(["mask", await readImage(part, hold)]);
    else if (part.name === "image" || part.name === "image[]") images.push(await readImage(part, hold));
    else throw invalidField([part.name], "This field takes no file.");
  }
  const json = Buffer.from(JSON.stringify({ ...Object.fromEntries(members), images }));
  hold(json.length);
  return json;
}
