import { z } from "zod";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { boundText, OUTPUT_LIMIT, readStart, TEXT_LIMIT } from "./output-bounds.shared";
import { extractText } from "./reading/extract-text.service.server";
import { EXTRACTED_BYTES } from "./reading/extraction.schema";
import type { Tool } from "./tool.shared";
import { ToolAddress } from "./tools.schema";

const Input = z.object({
  url: ToolAddress.describe("Complete address of the page, with https:// or http://"),
});

const TIMEOUT = 30_000;

export const webFetch: Tool<typeof Input> = {
  name: "web.fetch",
  title: "Read a web page",
  description:
    "Fetches a public web page or text file and returns its readable text (the article without menus and scripts), " +
    `its title and its final address. At most ${TEXT_LIMIT} characters; no images, PDFs or pages that need signing in.`,
  effect: "outside",
  onlyFetches: () => true,
  input: Input,
  timeoutMs: TIMEOUT,
  outputLimit: OUTPUT_LIMIT,
  async run({ url }, { actor, signal }) {
    authorise(actor, "chat.use");
    const fetch = guardedFetch("tool:web.fetch", {
      timeoutMs: TIMEOUT,
      silenceMs: 15_000,
      maxBytes: 50_000_000,
    });
    const headers = { accept: "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5" };
    const response = await fetch(url, { signal, headers });
    if (!response.ok) {
      await response.body?.cancel();
      const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
      throw new AppError("provider_unavailable", `${new URL(response.url).host} returned HTTP ${status}.`);
    }
    const { bytes, cut } = await readStart(response, EXTRACTED_BYTES);
    const contentType = response.headers.get("content-type") ?? "";
    const page = await extractText({ bytes, contentType }, signal);
    const { text, truncated } = boundText(page.text);
    return { url: response.url, ...page, text, truncated: truncated || cut };
  },
};
