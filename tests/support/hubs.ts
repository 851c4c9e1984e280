import { startMockServer } from "./mock-server";

export interface Hubs {
  env: Record<string, string>;
  /** The address of an HTML page titled "Pager handbook". */
  page: string;
  /** Never responds, so that a document stays in progress. */
  endlessPage: string;
  close(): Promise<void>;
}

const FAMILIES = ["Lighthouse", "Breakwater", "Windlass", "Halyard", "Foresail"];

/** Hugging Face's format; more than are kept. */
const huggingFace = Array.from({ length: 30 }, (_, n) => ({
  id: `harbour-lab/${FAMILIES[n % FAMILIES.length]}-${n + 1}B-Instruct`,
  downloads: 9_000_000 - n * 271_828,
  likes: 400 - n,
  pipeline_tag: "text-generation",
  tags: ["text-generation", "conversational"],
}));

/** OpenRouter's format; more than are kept. */
const openRouter = Array.from({ length: 30 }, (_, n) => ({
  id: `seaway/navigator-${n + 1}`,
  name: `Seaway: Navigator ${n + 1}`,
  description: `Finds its way through long documents and many tools. The ${n + 1}. of a series with a context of its own.`,
  context_length: 32_768 * (1 + (n % 8)),
  architecture: { input_modalities: n % 2 ? ["text", "image"] : ["text"], output_modalities: ["text"] },
  pricing: { prompt: String(0.00000025 * (n + 1)), completion: String(0.000001 * (n + 1)) },
  supported_parameters: ["tools", "max_tokens"],
}));

const ollama: Record<string, unknown> = {
  version: { version: "0.14.0" },
  tags: { models: [{ name: "llama3.2:3b" }, { name: "qwen3:8b" }, { name: "nomic-embed-text" }] },
};

const PAGE = `<title>Pager handbook</title><article><h1>Pager handbook</h1>
<p>At night the pager is answered within five minutes.</p>
<p>${"During the day the team shares it. ".repeat(80)}</p></article>`;

/** Both hubs and an Ollama on loopback. */
export async function startHubs(): Promise<Hubs> {
  const end = await startMockServer((request, response) => {
    const [, place = "", , asked = ""] = request.url?.split("/") ?? [];
    if (place === "endless") return;
    if (place === "missing") return void response.writeHead(404).end();
    if (place === "page") return void response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    const hub = place === "huggingface" ? huggingFace : { data: openRouter };
    const answer = place === "ollama" ? ollama[asked] : hub;
    response.writeHead(answer ? 200 : 500, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "not now" }));
  });
  return {
    env: {
      HUGGINGFACE_HUB_URL: `${end.origin}/huggingface`,
      OPENROUTER_HUB_URL: `${end.origin}/openrouter`,
      OLLAMA_URL: `${end.origin}/ollama`,
      EGRESS_ALLOW: `127.0.0.1:${end.port}`,
    },
    page: `${end.origin}/page`,
    endlessPage: `${end.origin}/endless`,
    close: end.close,
  };
}
