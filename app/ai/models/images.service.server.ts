import { guardCall } from "~/ai/guardrails/guardrails.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { readRaster } from "~/core/raster";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { type CallSource, callRecorded } from "./call-recorded.server";
import { tokensIn } from "./counted-usage";
import { type ImagesTask, MadeImages, readMadeImages } from "./images-task";
import { listModelsOfKind } from "./model-offers.service.server";
import { MalformedResponse } from "./provider-errors.server";
import { assertMayCall } from "./router/model-access.server";
import { type CallSize, DEFAULT_OUTPUT_TOKENS } from "./router/spending.server";
import type { RouteTarget } from "./router/targets.server";
import { encodeForm, readWhole } from "./whole-response.server";

export { MAX_IMAGES } from "./images-task";

/** In bytes, of all images of a response as base64. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** In bytes; larger ones are read in a thread. */
const MAX_INLINE_BYTES = 64 * 1024;
/** Tokens of an image that is read, about as providers count them. */
const INPUT_IMAGE_TOKENS = 1000;

export interface ImageFile {
  /** Of a PNG, JPEG or WebP. */
  bytes: Buffer;
  mediaType: string;
}

export interface ImageRequest {
  prompt: string;
  /** How many images to make. */
  count: number;
  /** What is edited; without any, an image is made from nothing. */
  inputs: readonly ImageFile[];
  /** Where the first input may change: where it is transparent. */
  mask?: ImageFile | undefined;
  /** Members that the caller adds, such as `size` and `quality`. */
  further: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
}

const toDataUrl = ({ bytes, mediaType }: ImageFile) => `data:${mediaType};base64,${bytes.toString("base64")}`;

/** These always return bytes, and refuse to be asked for them. */
const RETURNS_BYTES = /gpt-image|chatgpt-image/i;

/** So that an image takes a tenth of the room. */
const smallerOf = ({ modelId }: RouteTarget) =>
  RETURNS_BYTES.test(modelId) ? { output_format: "webp" } : {};

const pool = new WorkerPool<ImagesTask, MadeImages | undefined>({
  name: "images",
  entry: bundledWorker("images"),
  output: MadeImages.optional(),
  // With the start of the thread, which takes seconds on a busy machine.
  timeoutMs: 20_000,
  tooLong: "Reading the provider's images takes too long.",
  size: 1,
  maxHeapMb: 512,
  // Each waits with up to 32 MB.
  maxQueue: 20,
});

/** @throws MalformedResponse */
async function send(
  target: RouteTarget,
  path: string,
  body: object | FormData,
  { form, signal }: { form: ImagesTask["form"]; signal: AbortSignal },
): Promise<MadeImages> {
  const { body: sent, headers } =
    body instanceof FormData
      ? await encodeForm(body)
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const request = { body: sent, headers: { ...headers, accept: "application/json" }, signal };
  const response = await target.forward(path, request, "non-streaming");
  const bytes = await readWhole(response, target, MAX_RESPONSE_BYTES);
  const made =
    bytes.length > MAX_INLINE_BYTES
      ? await pool.run({ bytes, form }, signal)
      : readMadeImages({ bytes, form });
  if (!made) throw new MalformedResponse();
  return made;
}

function editForm(members: Readonly<Record<string, unknown>>, { inputs, mask }: ImageRequest): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members))
    if (value !== null && value !== undefined)
      form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  const add = (field: string, { bytes, mediaType }: ImageFile, at: number) => {
    const blob = new Blob([new Uint8Array(bytes)], { type: mediaType });
    form.append(field, blob, `${field.replace("[]", "")}-${at + 1}.${mediaType.slice("image/".length)}`);
  };
  // Older servers know one image only.
  for (const [at, input] of inputs.entries()) add(inputs.length > 1 ? "image[]" : "image", input, at);
  if (mask) add("mask", mask, 0);
  return form;
}

async function makeByChat(target: RouteTarget, path: string, request: ImageRequest): Promise<MadeImages> {
  const { prompt, inputs, count, mask, further, signal } = request;
  if (count > 1) throw new AppError("invalid", `${target.displayName} makes one image per call.`);
  const { size, response_format: _, ...others } = further;
  const refused = mask ? "mask" : size !== undefined && size !== "auto" ? "size" : undefined;
  if (refused) throw new AppError("invalid", `${target.displayName} takes no ${refused}. Leave it out.`);
  const content = [
    { type: "text", text: prompt },
    ...inputs.map((input) => ({ type: "image_url", image_url: { url: toDataUrl(input) } })),
  ];
  const body = {
    ...others,
    model: target.modelId,
    messages: [{ role: "user", content }],
    modalities: ["image"],
  };
  return send(target, path, body, { form: "chat", signal });
}

/**
 * Makes or edits images, once.
 *
 * @throws as `RouteTarget.forward`; MalformedResponse; AppError `invalid` for what the provider can't do
 */
export async function makeImages(target: RouteTarget, request: ImageRequest): Promise<MadeImages> {
  const { prompt, count, inputs, further, signal } = request;
  const path = target.wire[inputs.length > 0 ? "openai-image-edits" : "openai-images"] ?? "";
  if (path.endsWith("/chat/completions")) return makeByChat(target, path, request);
  const members = {
    ...(RETURNS_BYTES.test(target.modelId) ? {} : { response_format: "b64_json" }),
    ...further,
    model: target.modelId,
    prompt,
    n: count,
  };
  const body = inputs.length > 0 ? editForm(members, request) : members;
  return send(target, path, body, { form: "images", signal });
}

/** What a call will likely use, before it is made. */
export const sizeOfImages = ({
  prompt,
  inputs,
  count,
}: Pick<ImageRequest, "prompt" | "count"> & { inputs: readonly unknown[] }): CallSize => ({
  input: tokensIn(prompt) + inputs.length * INPUT_IMAGE_TOKENS,
  output: count * DEFAULT_OUTPUT_TOKENS,
  images: count,
});

const isCallable = (target: RouteTarget, request: Pick<ImageRequest, "inputs">): boolean =>
  target.wire[request.inputs.length > 0 ? "openai-image-edits" : "openai-images"] !== undefined;

/** Models for images that a person may choose. */
export const listImageModels = (actor: Actor): string[] => listModelsOfKind(actor, "image", "openai-images");

/** @throws AppError `provider_missing` without any */
function chosenImageModel(actor: Actor): string {
  const chosen = readSetting(actor.orgId, "routing.imageModel");
  if (chosen) return chosen;
  const [first] = listImageModels(actor);
  if (first !== undefined) return first;
  throw new AppError(
    "provider_missing",
    "There is no model for images that you may use. An admin can add one under Settings › Providers.",
  );
}

/**
 * Makes images for a conversation or a run, with the organization's model for images. The prompt passes the guardrails.
 *
 * @returns the bytes of each
 * @throws AppError for the person, GuardrailRefusal
 */
export async function drawImages(
  actor: Actor,
  given: ImageRequest,
  source: CallSource,
): Promise<{ model: string; images: ImageFile[] }> {
  const model = chosenImageModel(actor);
  assertMayCall(actor, model);
  const guard = guardCall(actor, { model, signal: given.signal });
  const request = guard ? { ...given, prompt: await guard.request(given.prompt) } : given;
  const { value } = await callRecorded(
    {
      actor,
      model,
      kind: "image",
      signal: request.signal,
      isWhole: true,
      accepts: (target) => isCallable(target, request),
      size: () => sizeOfImages(request),
    },
    (target, signal) =>
      makeImages(target, { ...request, further: { ...smallerOf(target), ...request.further }, signal }),
    ({ usage, images }) => ({
      input: usage?.input_tokens,
      output: usage?.output_tokens,
      images: images.length,
    }),
    source,
  );
  return { model, images: value.images.map(({ bytes }) => readImage(Buffer.from(bytes.buffer))) };
}

/** @throws AppError `provider_unavailable` for anything but an image */
function readImage(bytes: Buffer): ImageFile {
  const raster = readRaster(bytes);
  if (raster === undefined || raster === "damaged")
    throw new AppError("provider_unavailable", "The provider returned something that isn't an image.");
  return { bytes, mediaType: raster.mediaType };
}
