import { type MockServer, startMockServer } from "./mock-server";

/** A red pixel. */
export const PNG_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const GENERATION = [
  "model",
  "prompt",
  "n",
  "size",
  "quality",
  "background",
  "output_format",
  "moderation",
  "user",
];
const EDIT = [...GENERATION, "image", "image[]", "mask", "input_fidelity"];
/** Older models return addresses by default, and newer ones refuse to be asked for bytes. */
const isOlder = (model: string) => /dall-e|flux/.test(model);

interface Asked {
  members: Record<string, unknown>;
  /** Names of the parts with files. */
  files: string[];
}

async function readForm(type: string, bytes: string): Promise<Asked> {
  // Its files are damaged as text; their names and the fields aren't.
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const entries = [...form.entries()];
  const members = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const files = entries.flatMap(([name, value]) => (typeof value === "string" ? [] : [name]));
  return { members: { ...Object.fromEntries(members), n: Number(form.get("n") ?? 1) }, files };
}

/** What OpenAI answers, which refuses members that it doesn't know. */
function playOpenAi({ members, files }: Asked, known: readonly string[], picture: string) {
  const model = String(members.model);
  const unknown = [...Object.keys(members), ...files].find(
    (name) => !known.includes(name) && !(name === "response_format" && isOlder(model)),
  );
  const refuse = (message: string, param: string) => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param, code: "unknown_parameter" } },
  });
  if (unknown) return refuse(`Unknown parameter: '${unknown}'.`, unknown);
  if (/forbidden/.test(String(members.prompt)))
    return {
      status: 400,
      body: {
        error: {
          message: "Your request was rejected by the safety system.",
          type: "image_generation_user_error",
          param: null,
          code: "moderation_blocked",
        },
      },
    };
  const image = () =>
    isOlder(model) && members.response_format !== "b64_json"
      ? { url: "https://images.example/1.png" }
      : {
          b64_json: picture,
          ...(isOlder(model) && { revised_prompt: `Revised: ${String(members.prompt)}` }),
        };
  const data = Array.from({ length: Number(members.n ?? 1) }, image);
  const usage = { total_tokens: 1066, input_tokens: 10, output_tokens: 1056 };
  return { status: 200, body: { created: 1, data, ...(isOlder(model) ? {} : { usage, size: "1024x1024" }) } };
}

const chatImages = (picture: string) => [
  { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
];

/** A streamed answer with an image, as models that write and draw give it. */
function streamChat(picture: string): string {
  const chunks = [{ content: "Here it is." }, { images: chatImages(picture) }, {}].map((delta, at) => ({
    id: "gen-1",
    choices: [{ index: 0, delta, finish_reason: at === 2 ? "stop" : null }],
  }));
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

/** What OpenRouter answers: an answer of a chat with images beside its text. */
function playChat({ members }: Asked, picture: string) {
  const { modalities } = members as { modalities?: string[] };
  if (!modalities?.includes("image"))
    return { status: 404, body: { error: { message: "No endpoints found that support it", code: 404 } } };
  const message = { role: "assistant", content: "", images: chatImages(picture) };
  return {
    status: 200,
    body: {
      id: "gen-1",
      model: members.model,
      choices: [{ index: 0, finish_reason: "stop", message }],
      usage: { prompt_tokens: 12, completion_tokens: 1290, total_tokens: 1302 },
    },
  };
}

/**
 * Makes images at `/images/generations`, `/images/edits` and `/chat/completions`, as strict as OpenAI and OpenRouter.
 * @param picture what it makes, in base64
 */
export function startImageServer(picture = PNG_PIXEL): Promise<MockServer> {
  return startMockServer(async (request, response) => {
    const type = request.headers["content-type"] ?? "";
    const end = (request.url ?? "").replace(/^\/v1/, "");
    const json = ({ status, body }: { status: number; body: unknown }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const read = async (): Promise<Asked> =>
      type.startsWith("multipart/")
        ? readForm(type, request.text)
        : { members: JSON.parse(request.text) as Record<string, unknown>, files: [] };
    if (end === "/images/generations") json(playOpenAi(await read(), GENERATION, picture));
    else if (end === "/images/edits" && type.startsWith("multipart/"))
      json(playOpenAi(await read(), EDIT, picture));
    else if (end === "/chat/completions" && request.text.includes('"stream":true'))
      response.writeHead(200, { "content-type": "text/event-stream" }).end(streamChat(picture));
    else if (end === "/chat/completions") json(playChat(await read(), picture));
    else json({ status: 404, body: { error: { message: "Not Found" } } });
  });
}
