import type { IncomingMessage, ServerResponse } from "node:http";
import { type MockServer, startMockServer } from "./mock-server";

interface Answer {
  status?: number;
  type?: string;
  body: string;
}

type Request = IncomingMessage & { text: string };

const json = (value: unknown): Answer => ({ type: "application/json", body: JSON.stringify(value) });
const refuse = (status: number, detail: string): Answer => ({ ...json({ detail }), status });

/** Whether a multipart form has a field. */
const hasField = (text: string, name: string, value: string) =>
  text.includes(`name="${name}"\r\n\r\n${value}\r\n`);

/** What each kind of server takes and answers, by the first part of the path; undefined for other calls. */
const KINDS: Record<string, (request: Request, path: string, read: string) => Answer | undefined> = {
  docling({ method, headers, text }, path, read) {
    if (method !== "POST" || path !== "/v1/convert/file") return undefined;
    const isForm = headers["content-type"]?.startsWith("multipart/form-data; boundary=");
    if (!isForm || !/name="files"; filename="[^"]+\.png"\r\nContent-Type: image\/png\r\n\r\n.PNG/i.test(text))
      return refuse(422, "field required: files");
    const document = {
      filename: "page.png",
      md_content: hasField(text, "to_formats", "md") ? read : null,
      text_content: hasField(text, "to_formats", "text") ? read : null,
    };
    return json({ document, status: "success", errors: [], processing_time: 0.4, timings: {} });
  },
  tika({ method, headers, text }, path, read) {
    if (method !== "PUT" || path !== "/tika/text") return undefined;
    if (headers["content-type"] !== "image/png" || !text.includes("IHDR"))
      return refuse(415, "Unsupported Media Type");
    return json({ "Content-Type": "image/png", "X-TIKA:content": `\n\n\n${read}\n`, "X-TIKA:Parsed-By": [] });
  },
  mistral({ method, text }, path, read) {
    if (method !== "POST" || path !== "/v1/ocr") return undefined;
    const { model, document, ...others } = JSON.parse(text) as {
      model?: string;
      document?: { type: string; image_url: string };
    };
    const isPicture =
      document?.type === "image_url" && document.image_url.startsWith("data:image/png;base64,iVBORw0KGgo");
    if (!model || !isPicture || Object.keys(others).length > 0) return refuse(422, "invalid request");
    const page = { index: 0, markdown: read, images: [], dimensions: { dpi: 200, height: 90, width: 330 } };
    return json({ pages: [page], model, usage_info: { pages_processed: 1, doc_size_bytes: 464 } });
  },
};

/**
 * Starts a server that "reads" pictures as docling-serve, Tika and Mistral do, at `/docling`, `/tika` and `/mistral`, as
 * strict as these.
 *
 * @param options `read`, the text of each page; `key`, without which it refuses; `instead`, another answer if it returns
 *   true
 */
export function startReadingServer({
  read = () => "Harbor 42",
  key,
  instead,
}: {
  read?: () => string;
  key?: string;
  instead?: (response: ServerResponse) => boolean;
} = {}): Promise<MockServer> {
  return startMockServer((request, response) => {
    if (instead?.(response)) return;
    const [, kind = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const { headers } = request;
    const sent = kind === "docling" ? headers["x-api-key"] : headers.authorization?.replace("Bearer ", "");
    const answer =
      key !== undefined && sent !== key
        ? refuse(401, "Unauthorized")
        : (KINDS[kind]?.(request, path, read()) ?? refuse(404, "Not Found"));
    response
      .writeHead(answer.status ?? 200, { "content-type": answer.type ?? "text/plain" })
      .end(answer.body);
  });
}
