import type { Effects, Installation } from "./effect";

const at = ({ upstream }: Installation, path: string) => `${upstream.origin}/${path}`;

/** Tests the server. @returns the request that it got */
async function send({ server, upstream }: Installation) {
  const before = upstream.requests.length;
  const response = await server.ask("/api/rag/recognition/test", { as: "owner", method: "POST" });
  const request = upstream.requests.slice(before).find(({ url }) => url.startsWith("/scans"));
  return { status: response.status, ...request };
}

const given = (installation: Installation) => ({
  recognition: { reader: "mistral" as const, address: at(installation, "scans") },
});

export const recognition: Effects<"recognition"> = {
  reader: {
    to: "tika",
    given: (installation) => ({ recognition: { reader: "docling", address: at(installation, "scans") } }),
    observe: async (installation) => (await send(installation)).url,
    before: "/scans/v1/convert/file",
    after: "/scans/tika/text",
  },
  address: {
    to: (installation) => at(installation, "scans-elsewhere"),
    given,
    observe: async (installation) => (await send(installation)).url,
    before: "/scans/v1/ocr",
    after: "/scans-elsewhere/v1/ocr",
  },
  keyId: {
    to: ({ scanKey }) => scanKey,
    given,
    observe: async (installation) => (await send(installation)).headers?.authorization,
    before: undefined,
    after: "Bearer the key of the server that reads scans",
  },
  model: {
    to: "ocr-of-ours",
    given,
    observe: async (installation) =>
      (JSON.parse((await send(installation)).body ?? "{}") as { model?: string }).model,
    before: "mistral-ocr-latest",
    after: "ocr-of-ours",
  },
};
