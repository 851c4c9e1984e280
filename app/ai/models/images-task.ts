import { z } from "zod";
import { MAX_LIST_VALUES, parseJson } from "~/core/parse";

/** A provider's response with images, as `/images/generations` or as a chat returns them. */
export const ImagesTask = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  form: z.enum(["images", "chat"]),
});
export type ImagesTask = z.infer<typeof ImagesTask>;

const Count = z.number().nonnegative().optional().catch(undefined);
const Text = z.string().optional().catch(undefined);

export const MadeImages = z.object({
  images: z.array(
    z.object({
      bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
      revisedPrompt: Text,
    }),
  ),
  /** As reported; undefined if it wasn't. */
  usage: z.looseObject({ input_tokens: Count, output_tokens: Count }).optional().catch(undefined),
  /** What the provider says beside them. */
  further: z.record(z.string(), z.unknown()),
});
export type MadeImages = z.infer<typeof MadeImages>;

const ImagesResponse = z.looseObject({
  data: z
    .array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish(), revised_prompt: Text }))
    .min(1),
  usage: MadeImages.shape.usage,
});

/** As OpenRouter returns images: in an answer of a chat. */
const ChatResponse = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ images: z.array(z.object({ image_url: z.object({ url: z.string() }) })) }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: Count, completion_tokens: Count }).optional().catch(undefined),
});

/** Made by one call. */
export const MAX_IMAGES = 10;

/** @throws Error for an address: the bytes of an image come with the response, or not at all */
function bytesOf(base64: string | null | undefined, url: string | null | undefined): Uint8Array<ArrayBuffer> {
  const [prefix] = /^data:image\/[\w.+-]{1,40};base64,/.exec(url ?? "") ?? [];
  const data = base64 || (prefix && url?.slice(prefix.length));
  if (!data) throw new Error("The image has no bytes.");
  // A copy with a buffer of its own, all of which changes hands between threads.
  return new Uint8Array(Buffer.from(data, "base64"));
}

function readMade({ bytes, form }: ImagesTask): MadeImages {
  const json = parseJson(Buffer.from(bytes).toString("utf8"), MAX_LIST_VALUES);
  if (form === "images") {
    const { data, usage, ...further } = ImagesResponse.parse(json);
    const images = data.slice(0, MAX_IMAGES).map(({ b64_json, url, revised_prompt: revisedPrompt }) => ({
      bytes: bytesOf(b64_json, url),
      revisedPrompt,
    }));
    return { images, usage, further };
  }
  const { choices, usage } = ChatResponse.parse(json);
  return {
    images: choices
      .flatMap(({ message }) => message.images)
      .slice(0, MAX_IMAGES)
      .map(({ image_url: { url } }) => ({ bytes: bytesOf(undefined, url) })),
    usage: usage && { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
    further: {},
  };
}

/** @returns undefined for a response of another form */
export function readMadeImages(task: ImagesTask): MadeImages | undefined {
  try {
    return readMade(task);
  } catch {
    // Its cause is left out: it would be reported as a fault of the caller's body.
    return undefined;
  }
}
