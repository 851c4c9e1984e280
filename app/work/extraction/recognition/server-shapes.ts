import { z } from "zod";
import { parseJson } from "~/core/parse";

export type ServerKind = "docling" | "tika" | "mistral";

export interface PageRequest {
  method: "POST" | "PUT";
  path: string;
  headers: Record<string, string>;
  body: BodyInit;
}

interface Asked {
  picture: Uint8Array<ArrayBuffer>;
  key: string | undefined;
  model: string;
}

interface Answered {
  text: string;
  contentType: string;
}

/** How a kind of server is asked for the text of one page. */
interface ServerShape {
  name: string;
  /** Status of a page that it can't read, where that is no fault of the request or the settings. */
  unreadable?: number;
  toRequest(asked: Asked): PageRequest;
  /** @returns undefined if the server says that it couldn't read the page @throws for another shape */
  readText(answered: Answered): string | undefined;
}

/** A page's answer has few values, unless it isn't one. */
const MAX_VALUES = 20_000;

const bearer = (key: string | undefined): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {};

const DoclingAnswer = z.object({
  document: z.object({ text_content: z.string().nullish(), md_content: z.string().nullish() }),
  status: z.string().optional(),
});

/** docling-serve 1: `POST /v1/convert/file`, a multipart form; a single file is answered as JSON. */
const docling: ServerShape = {
  name: "Docling",
  toRequest({ picture, key }) {
    const body = new FormData();
    body.append("files", new Blob([picture], { type: "image/png" }), "page.png");
    body.append("to_formats", "text");
    body.append("do_ocr", "true");
    body.append("image_export_mode", "placeholder");
    const headers: Record<string, string> = key ? { "x-api-key": key } : {};
    return { method: "POST", path: "/v1/convert/file", headers, body };
  },
  readText({ text }) {
    const { document, status } = DoclingAnswer.parse(parseJson(text, MAX_VALUES));
    if (status === "failure" || status === "skipped") return undefined;
    return z.string().parse(document.text_content ?? document.md_content);
  },
};

const TikaAnswer = z.object({ "X-TIKA:content": z.string().default("") });

/** Tika 2 and later: `PUT /tika/text` answers JSON; a proxy or a later version may answer the text itself. */
const tika: ServerShape = {
  name: "Tika",
  unreadable: 422,
  toRequest: ({ picture, key }) => ({
    method: "PUT",
    path: "/tika/text",
    headers: {
      ...bearer(key),
      accept: "application/json, text/plain;q=0.5",
      "content-type": "image/png",
    },
    body: picture,
  }),
  readText({ text, contentType }) {
    if (/^text\/plain\b/i.test(contentType)) return text;
    return TikaAnswer.parse(parseJson(text, MAX_VALUES))["X-TIKA:content"];
  },
};

const MistralAnswer = z.object({ pages: z.array(z.object({ markdown: z.string() })) });

const mistral: ServerShape = {
  name: "Mistral",
  toRequest: ({ picture, key, model }) => ({
    method: "POST",
    path: "/v1/ocr",
    headers: { ...bearer(key), "content-type": "application/json" },
    body: JSON.stringify({
      model,
      document: {
        type: "image_url",
        image_url: `data:image/png;base64,${Buffer.from(picture).toString("base64")}`,
      },
    }),
  }),
  readText: ({ text }) =>
    MistralAnswer.parse(parseJson(text, MAX_VALUES))
      .pages.map(({ markdown }) => markdown)
      .join("\n\n"),
};

export const SERVER_SHAPES: Readonly<Record<ServerKind, ServerShape>> = { docling, tika, mistral };
